/**
 * Where the list stands with each paint: at the end while it follows, otherwise so that the same rows stay in sight though
 * others went from before them.
 *
 * @see SEAT-36
 */
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { FilteredRows } from '../../seat/passing/row-filter.ts'
import { endOf, keepPlace, type RowView } from '../../seat/passing/row-window.ts'

/** What it is worked out from. */
export interface ScrollTopParts {
  readonly list: { readonly current: HTMLElement | null }
  readonly rows: FilteredRows
  /** As it was painted last. */
  readonly at: RowView
  readonly isFollowing: boolean
}

/** @returns pixels from the top, which the list is moved to when it is painted */
export function useScrollTop({ list, rows, at, isFollowing }: ScrollTopParts): number {
  const index = Math.floor(at.scrollTop / at.rowHeight)
  const before = useRef({ rows, index, place: rows.placeAt(index) })
  // Another filter is another list, of which nothing went.
  const { place } = before.current
  const gone =
    before.current.rows === rows && place !== undefined ? before.current.index - rows.indexOf(place) : 0
  const scrollTop = isFollowing ? endOf(at) : keepPlace(at.scrollTop, gone, at.rowHeight)
  useLayoutEffect(() => {
    const top = Math.floor(scrollTop / at.rowHeight)
    before.current = { rows, index: top, place: rows.placeAt(top) }
    const { current: element } = list
    if (element !== null && (isFollowing || gone > 0) && element.scrollTop !== scrollTop)
      element.scrollTop = scrollTop
  })
  return scrollTop
}
