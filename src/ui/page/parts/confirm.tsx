/**
 * The second step of what cannot be taken back: it takes the focus, so that Enter says yes and Escape no.
 *
 * @see SEAT-23, SEAT-30
 */
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { BUTTONS, confirmWords } from '../../seat/words.ts'

/** What is asked about. */
export interface ConfirmProps {
  /** In our words: `choose 2`, `approve this task`. */
  readonly what: string
  readonly isBusy: boolean
  readonly onYes: () => void
  readonly onNo: () => void
}

/** The question with its two buttons. */
export function Confirm({ what, isBusy, onYes, onNo }: ConfirmProps): JSX.Element {
  const yes = useRef<HTMLButtonElement>(null)
  // Before the next key is read: it may be Enter.
  useLayoutEffect(() => yes.current?.focus(), [what])
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    onNo()
  }
  return (
    <div class="confirm" role="group" aria-label={confirmWords(what)} onKeyDown={onKeyDown}>
      <span>{confirmWords(what)}</span>
      <button ref={yes} class="main" disabled={isBusy} onClick={onYes}>
        {BUTTONS.confirm}
      </button>
      <button onClick={onNo}>{BUTTONS.cancel}</button>
    </div>
  )
}
