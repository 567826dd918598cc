/**
 * Whether somebody may be looking at this page: it is in front, in a window that is not put away.
 *
 * @see SEAT-04, SEAT-37, SEAT-43
 */

/** Asked now; `visibilitychange` of the document tells when it is otherwise. */
export function isVisible(): boolean {
  return document.visibilityState === 'visible'
}
