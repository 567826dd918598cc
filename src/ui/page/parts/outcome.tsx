/**
 * What came of something the person did, in words and numbers, and from then on who has seen it.
 *
 * @see SEAT-23
 */
import type { JSX } from 'preact'
import { textMember } from '../../../core/text/json-object.ts'
import { outcomeWords, type CallOutcome } from '../../seat/outcome.ts'
import { seenWords } from '../../seat/words.ts'
import { useSeat } from '../state/page-seat.ts'
import { useModel } from '../state/use-model.ts'

/** The sentence, and behind it how many have seen what was sent. */
export function Outcome({ outcome }: { readonly outcome: CallOutcome }): JSX.Element {
  const seat = useSeat()
  const eventId = outcome.kind === 'done' ? textMember(outcome.body, 'event_id') : undefined
  const states = useModel(seat, ['receipts'], () =>
    eventId === undefined
      ? []
      : [...(seat.model.outcomeOf(eventId)?.values() ?? [])].map(({ state }) => state),
  )
  const seen = states.filter((state) => state === 'seen').length
  return (
    <p class={outcome.kind === 'done' ? 'outcome' : 'outcome failed'}>
      {outcomeWords(outcome)} {states.length > 0 && seenWords(seen, states.length)}
    </p>
  )
}
