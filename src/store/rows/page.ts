/**
 * One page of rows: what is read at a time.
 */
import { toFrameRow, type FrameColumns, type FrameRow } from './row.ts'

/** Text one page holds: each row is checked when it is read, and nobody should wait for a gigabyte of that. */
const MAX_PAGE_LENGTH = 4 * 1024 * 1024

/** The first row whatever its size, and then as many as a page holds. */
export function withinLength(rows: Iterable<FrameColumns>): readonly FrameRow[] {
  const page: FrameRow[] = []
  let length = 0
  for (const columns of rows) {
    const row = toFrameRow(columns)
    page.push(row)
    length += row.bytes
    if (length >= MAX_PAGE_LENGTH) break
  }
  return page
}
