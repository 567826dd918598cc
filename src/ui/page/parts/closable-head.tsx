/**
 * What stands over something that was opened: what it is, and the way out.
 */
import type { ComponentChildren, JSX } from 'preact'
import { BUTTONS } from '../../seat/words.ts'

/** @param props - `id`: by which what it stands over is labelled */
export function ClosableHead({
  id,
  onClose,
  children,
}: {
  readonly id: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <header>
      <h2 id={id}>{children}</h2>
      <button onClick={onClose}>{BUTTONS.close}</button>
    </header>
  )
}
