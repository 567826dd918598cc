/**
 * What can be said to somebody: to send, to ask, to hand over.
 *
 * @see SEAT-20, SEAT-23
 */
import type { JSX } from 'preact'
import { BUTTONS } from '../../seat/words.ts'
import type { Composing } from '../state/page-seat.ts'

/** What a verb is called. */
export const VERBS = { send: BUTTONS.send, ask: BUTTONS.ask, 'hand-over': BUTTONS.handOver } as const

/** @param props - `chosen`: the verb of the moment; undefined where each of them begins something */
export function VerbButtons({
  chosen,
  onChoose,
}: {
  readonly chosen?: Composing['verb'] | undefined
  readonly onChoose: (verb: Composing['verb']) => void
}): JSX.Element {
  return (
    <div class="verbs" role="group" aria-label="What to do">
      {(['send', 'ask', 'hand-over'] as const).map((verb) => (
        <button key={verb} aria-pressed={chosen && chosen === verb} onClick={() => onChoose(verb)}>
          {VERBS[verb]}
        </button>
      ))}
    </div>
  )
}
