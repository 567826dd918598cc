/**
 * Whether somebody is at a list just now, so that nothing in it may move.
 *
 * @see SEAT-22
 */
import type { RefObject } from 'preact'

/** Asked while it is drawn: whether the pointer is over it, or the focus in it. */
export function isHeld({ current: list }: RefObject<HTMLElement | null>): boolean {
  return list?.matches(':hover, :focus-within') === true
}
