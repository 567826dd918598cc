/**
 * The list of what passed: a listbox of which only the rows in sight stand in the document.
 *
 * @see SEAT-32, SEAT-35, SEAT-36
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { FilteredRows } from '../../seat/passing/row-filter.ts'
import { isAtEnd, reveal, windowOf, type RowView } from '../../seat/passing/row-window.ts'
import { HEADINGS, newRowsWords } from '../../seat/words.ts'
import { useSeat } from '../state/page-seat.ts'
import { useModel } from '../state/use-model.ts'
import { rowId, TimelineRow } from './timeline-row.tsx'
import { useRowHeight } from './use-row-height.ts'
import { useScrollTop } from './use-scroll-top.ts'
import { useSeenRows } from './use-seen-rows.ts'
import { goToEnd, type PassingView } from './view.ts'

interface TimelineProps {
  readonly rows: FilteredRows
  readonly view: PassingView
}

/** A height to begin with; it is measured before anything is seen. */
const FIRST_HEIGHT = 600

/** The list, and how many are new below what is seen. */
export function Timeline({ rows, view }: TimelineProps): JSX.Element {
  const seat = useSeat()
  // A full store has as many rows as before when others have come and gone.
  const all = useModel(seat, ['rows'], () => rows.length)
  const list = useRef<HTMLDivElement>(null)
  const { isFollowing, pausedAt } = view
  const rowHeight = useRowHeight()
  const box = useSignal({ top: 0, height: FIRST_HEIGHT })
  const count = pausedAt.value === undefined ? all : Math.min(all, rows.indexOf(pausedAt.value))
  const before = { count, rowHeight, viewHeight: box.value.height, scrollTop: box.value.top }
  const scrollTop = useScrollTop({ list, rows, at: before, isFollowing: isFollowing.value })
  const fresh = useFresh(rows, isFollowing.value && pausedAt.value === undefined)
  const measure = (): void => {
    const { current: element } = list
    if (element === null) return
    const now = { top: element.scrollTop, height: element.clientHeight }
    if (now.top !== box.value.top || now.height !== box.value.height) box.value = now
    isFollowing.value = isAtEnd({ ...before, scrollTop: now.top, viewHeight: now.height })
  }
  useLayoutEffect(measure, [])
  useSeenRows(rows, { ...before, scrollTop })
  return (
    <div class="timeline-frame">
      <Listbox list={list} rows={rows} view={view} at={{ ...before, scrollTop }} onScroll={measure} />
      {fresh > 0 && (
        <button class="fresh" onClick={() => goToEnd(view)}>
          {newRowsWords(fresh)} <span aria-hidden="true">↓</span>
        </button>
      )}
    </div>
  )
}

interface ListboxProps {
  readonly list: { current: HTMLDivElement | null }
  readonly rows: FilteredRows
  readonly view: PassingView
  readonly at: RowView
  readonly onScroll: () => void
}

function Listbox({ list, rows, view, at, onScroll }: ListboxProps): JSX.Element {
  const seat = useSeat()
  const { chosen } = view
  const { count, rowHeight } = at
  const { first, end } = windowOf(at)
  const chosenIndex = chosen.value === undefined ? -1 : rows.indexOf(chosen.value)
  const choose = (index: number): void => {
    const [place, element] = [rows.placeAt(index), list.current]
    if (place === undefined || element === null || index >= count) return
    chosen.value = place
    element.scrollTop = reveal(index, { ...at, scrollTop: element.scrollTop })
  }
  const open = (place: number | undefined): void => {
    if (place !== undefined) seat.openItem.value = seat.model.rows.get(place)?.eventId
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = stepOf(event.key, at)
    if (step !== undefined)
      choose(Math.max(0, Math.min(count - 1, chosenIndex === -1 ? count - 1 : chosenIndex + step)))
    else if (event.key === 'Enter') open(chosen.value)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const isChosenShown = chosenIndex >= first && chosenIndex < end
  return (
    <div
      ref={list}
      class="timeline"
      role="listbox"
      tabIndex={0}
      data-action="timeline"
      aria-label={HEADINGS.passing}
      aria-activedescendant={isChosenShown ? rowId(chosen.value) : undefined}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <div class="spacer" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        {placesOf(rows, first, end).map(([index, place]) => (
          <TimelineRow
            key={place}
            place={place}
            index={index}
            count={count}
            top={index * rowHeight}
            isChosen={place === chosen.value}
            onChoose={() => {
              choose(index)
              open(place)
            }}
          />
        ))}
      </div>
    </div>
  )
}

/** How many rows came below what was seen last. */
function useFresh(rows: FilteredRows, isSeen: boolean): number {
  const end = (rows.placeAt(rows.length - 1) ?? -1) + 1
  const seen = useRef({ rows, end })
  if (isSeen || seen.current.rows !== rows) seen.current = { rows, end }
  return rows.length - rows.indexOf(seen.current.end)
}

function placesOf(rows: FilteredRows, first: number, end: number): readonly (readonly [number, number])[] {
  return Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i).flatMap((index) => {
    const place = rows.placeAt(index)
    return place === undefined ? [] : [[index, place] as const]
  })
}

/** By how many rows a key moves; undefined for any other key. */
function stepOf(key: string, { count, viewHeight, rowHeight }: RowView): number | undefined {
  const page = Math.max(1, Math.floor(viewHeight / rowHeight) - 1)
  const steps: Readonly<Record<string, number>> = {
    ArrowUp: -1,
    k: -1,
    ArrowDown: 1,
    j: 1,
    PageUp: -page,
    PageDown: page,
    Home: -count,
    End: count,
  }
  return steps[key]
}
