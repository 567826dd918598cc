/**
 * A state with nothing to show, or a broken one: a sentence, and the command that changes it.
 *
 * @see SEAT-26
 */
import type { ComponentChildren, JSX } from 'preact'
import type { StateWords } from '../../seat/words.ts'

/** @param props - `children`: buttons for what can be done from here */
export function StateNote({
  state,
  children,
}: {
  readonly state: StateWords
  readonly children?: ComponentChildren
}): JSX.Element {
  return (
    <p class="note">
      {state.says} {state.command !== undefined && <code>{state.command}</code>} {children}
    </p>
  )
}
