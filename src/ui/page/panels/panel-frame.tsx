/**
 * What stands over a screen until it is closed: it takes the focus, gives it back, and ends with Escape.
 *
 * @see SEAT-31, SEAT-32
 */
import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { ClosableHead } from '../parts/closable-head.tsx'
import { LiveRegion } from '../parts/live-region.tsx'
import { useSeat } from '../state/page-seat.ts'

/** A modal dialog with a heading and a way out. */
export function PanelFrame({
  heading,
  children,
}: {
  readonly heading: ComponentChildren
  readonly children: ComponentChildren
}): JSX.Element {
  const seat = useSeat()
  const dialog = useRef<HTMLDialogElement>(null)
  // A browser tells of it with the next frame: this one may have gone by then, and another be open.
  const close = (): void => {
    if (dialog.current !== null) seat.panel.value = undefined
  }
  useLayoutEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog ref={dialog} class="panel" aria-labelledby="panel-heading" onClose={close}>
      <ClosableHead id="panel-heading" onClose={() => dialog.current?.close()}>
        {heading}
      </ClosableHead>
      {children}
      <LiveRegion />
    </dialog>
  )
}
