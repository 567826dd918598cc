/**
 * Which rows of many stand in the document or on the screen: two divisions, since every row is equally high.
 *
 * @see SEAT-35, SEAT-36
 */

/** Rows in the document at the most, whatever the height of a screen (SEAT-35). */
export const MAX_WINDOW_ROWS = 200

/** Rows above and below what is seen, so that a short scroll shows no blank. */
export const OVERSCAN_ROWS = 20

/** A view onto a list. Heights in any one unit: pixels, or lines of a terminal with a row height of 1. */
export interface RowView {
  readonly count: number
  readonly rowHeight: number
  readonly viewHeight: number
  /** How far the top of the view is from the top of the list. */
  readonly scrollTop: number
}

/** The rows to show, from `first` up to and without `end`. */
export interface RowWindow {
  readonly first: number
  readonly end: number
}

/** The rows that are seen and those around them, never more than {@link MAX_WINDOW_ROWS}. */
export function windowOf({ count, rowHeight, viewHeight, scrollTop }: RowView): RowWindow {
  const top = Math.floor(Math.max(0, scrollTop) / rowHeight)
  const seen = Math.ceil(Math.max(0, viewHeight) / rowHeight) + 1
  const first = Math.max(0, Math.min(top, count - seen) - OVERSCAN_ROWS)
  const wished = Math.min(count, top + seen + OVERSCAN_ROWS)
  return { first, end: Math.min(wished, first + MAX_WINDOW_ROWS) }
}

/** The rows of which half or more is seen. */
export function seenIn({ count, rowHeight, viewHeight, scrollTop }: RowView): RowWindow {
  const first = Math.max(0, Math.ceil(scrollTop / rowHeight - 0.5))
  const end = Math.min(count, Math.floor((scrollTop + viewHeight) / rowHeight + 0.5))
  return { first, end: Math.max(first, end) }
}

/** Whether the view shows the end of the list, half a row more or less. */
export function isAtEnd({ count, rowHeight, viewHeight, scrollTop }: RowView): boolean {
  return scrollTop + viewHeight >= count * rowHeight - rowHeight / 2
}

/** Where the view stands at the end of the list. */
export function endOf({ count, rowHeight, viewHeight }: Omit<RowView, 'scrollTop'>): number {
  return Math.max(0, count * rowHeight - viewHeight)
}

/**
 * Where the view has to stand so that the same rows stay under the eye after rows went from the front of the list.
 *
 * @param gone - rows that went, of those in the list
 */
export function keepPlace(scrollTop: number, gone: number, rowHeight: number): number {
  return Math.max(0, scrollTop - gone * rowHeight)
}

/** Where the view has to stand so that a row is seen whole: as little further as it takes. */
export function reveal(index: number, { rowHeight, viewHeight, scrollTop }: Omit<RowView, 'count'>): number {
  const top = index * rowHeight
  if (top < scrollTop) return top
  return Math.max(scrollTop, top + rowHeight - viewHeight)
}
