/**
 * What a request has come to: nothing yet, a refusal in the daemon's words, no answer, or what is drawn of it.
 *
 * @see SEAT-19, SEAT-26
 */
import type { ComponentChildren, JSX } from 'preact'
import type { JsonObject } from '../../../core/text/json-object.ts'
import type { CallOutcome } from '../../seat/outcome.ts'
import { STATES } from '../../seat/words.ts'
import { StateNote } from './state-note.tsx'

/** @param props - `children`: draws what was answered */
export function Answered({
  came,
  children,
}: {
  readonly came: CallOutcome | undefined
  readonly children: (body: JsonObject) => ComponentChildren
}): JSX.Element {
  if (came === undefined) return <StateNote state={STATES.connecting} />
  if (came.kind === 'done') return <>{children(came.body)}</>
  return <p class="failed">{came.kind === 'refused' ? came.message : STATES.daemonGone.says}</p>
}
