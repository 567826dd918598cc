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
import { isVisible } from '../state/is-visible.ts'
import { useSeat, type PageSeat } from '../state/page-seat.ts'
import { IN_VIEW_MS } from '../state/seen.ts'

/** How often it is looked at while rows wait, in milliseconds: what comes one by one is told together, within 3 s (SEAT-04). */
const TICK_MS = IN_VIEW_MS + 50

/** @param at - the list as it is painted */
export function useSeenRows(rows: FilteredRows, at: RowView): void {
  const seat = useSeat()
  /** Event id → since when it is in view, monotonic. */
  const since = useRef<ReadonlyMap<string, number>>(new Map())
  const look = useRef((_isTick: boolean) => {})
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  look.current = (isTick) => {
    const nowMs = performance.now()
    const waiting = isVisible() ? waitingIn(seat, rows, at) : []
    since.current = new Map(waiting.map((id) => [id, since.current.get(id) ?? nowMs]))
    if (isTick) {
      timer.current = undefined
      seat.seen.say(waiting.filter((id) => nowMs - (since.current.get(id) ?? nowMs) >= IN_VIEW_MS))
    }
    const isAnyLeft = waiting.some((id) => !seat.seen.has(id))
    if (isAnyLeft) timer.current ??= setTimeout(() => look.current(true), TICK_MS)
  }
  useEffect(() => look.current(false))
  useEffect(() => {
    const onChange = (): void => look.current(false)
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
