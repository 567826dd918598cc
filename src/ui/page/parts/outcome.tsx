/**
 * What came of something the person did, in words and numbers, and from then on who has seen it.
 *
 * @see SEAT-23
 */
import type { JSX } from 'preact'
import { numberOf, textMember } from '../../../core/text/json-object.ts'
import { refusedWords, seenWords, sentWords, UNANSWERED } from '../../seat/words.ts'
import type { CallOutcome } from '../link/door.ts'
import { useSeat } from '../state/page-seat.ts'
import { useModel } from '../state/use-model.ts'

/** The outcome in one sentence. */
export function outcomeWords(outcome: CallOutcome): string {
  if (outcome.kind === 'unanswered') return UNANSWERED
  if (outcome.kind === 'refused') return refusedWords(outcome.message)
  return sentWords({
    recipientCount: numberOf(outcome.body, 'recipient_count') ?? 0,
    queuedCount: numberOf(outcome.body, 'queued_count') ?? 0,
  })
}

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
