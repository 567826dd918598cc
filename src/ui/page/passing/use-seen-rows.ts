/**
 * `seen` is said of rows, too: of those that came to the person, after a second in view on a page that is visible.
 *
 * One timer for all of them, since rows come by the hundred; none while nothing waits for its second (SEAT-37).
 *
 * @see SEAT-04
 */
import { useEffect, useRef } from 'preact/hooks'
import type { FilteredRows } from '../../seat/passing/row-filter.ts'
import { isForSeat } from '../../seat/passing/row-filter.ts'
import { seenIn, type RowView } from '../../seat/passing/row-window.ts'
import { useSeat, type PageSeat } from '../state/page-seat.ts'
import { IN_VIEW_MS } from '../state/seen.ts'

/** @param at - the list as it is painted */
export function useSeenRows(rows: FilteredRows, at: RowView): void {
  const seat = useSeat()
  /** Event id → since when it is in view, monotonic. */
  const since = useRef<ReadonlyMap<string, number>>(new Map())
  const look = useRef(() => {})
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  look.current = () => {
    clearTimeout(timer.current)
    const nowMs = performance.now()
    const waiting = document.visibilityState === 'visible' ? waitingIn(seat, rows, at) : []
    since.current = new Map(waiting.map((id) => [id, since.current.get(id) ?? nowMs]))
    const isDue = (id: string): boolean => nowMs - (since.current.get(id) ?? nowMs) >= IN_VIEW_MS
    seat.seen.say(waiting.filter(isDue))
    const firstMs = Math.min(
      ...waiting.filter((id) => !isDue(id)).map((id) => since.current.get(id) ?? nowMs),
    )
    if (Number.isFinite(firstMs))
      timer.current = setTimeout(() => look.current(), firstMs + IN_VIEW_MS - nowMs)
  }
  useEffect(() => look.current())
  useEffect(() => {
    const onChange = (): void => look.current()
    document.addEventListener('visibilitychange', onChange)
    return () => {
      clearTimeout(timer.current)
      document.removeEventListener('visibilitychange', onChange)
    }
  }, [])
}

/** What is in view, came to the person, and was not yet said to be seen. */
function waitingIn({ model, seen }: PageSeat, rows: FilteredRows, at: RowView): readonly string[] {
  const { first, end } = seenIn(at)
  const found: string[] = []
  for (let index = first; index < end; index += 1) {
    const place = rows.placeAt(index)
    const row = place === undefined ? undefined : model.rows.get(place)
    if (row === undefined || row.gap !== undefined || seen.has(row.eventId)) continue
    if (isForSeat(row.to, model.principal)) found.push(row.eventId)
  }
  return found
}
