/**
 * One row of what passed.
 *
 * @see SEAT-27, SEAT-35
 */
import type { JSX } from 'preact'
import { namesOf } from '../../seat/passing/row-names.ts'
import type { Row } from '../../seat/passing/rows.ts'
import { formatClock } from '../../../core/text/durations.ts'
import { SenderLine } from '../parts/sender-text.tsx'
import { deliveredWords } from '../../seat/words.ts'
import { useSeat } from '../state/page-seat.ts'
import { useModel } from '../state/use-model.ts'

/** What a row is told. */
export interface TimelineRowProps {
  readonly place: number
  readonly index: number
  readonly count: number
  /** Pixels from the top of the list. */
  readonly top: number
  readonly isChosen: boolean
  readonly onChoose: () => void
}

/** The id of a row's element. */
export function rowId(place: number | undefined): string {
  return `row-${place}`
}

/** The row; what is missing is a line across the list. */
export function TimelineRow({ place, index, count, top, isChosen, onChoose }: TimelineRowProps): JSX.Element {
  const seat = useSeat()
  const row = seat.model.rows.get(place)
  return (
    <div
      id={rowId(place)}
      class={row?.gap === undefined ? 'row' : 'row gap'}
      role="option"
      aria-selected={isChosen}
      aria-setsize={count}
      aria-posinset={index + 1}
      style={{ top: `${top}px` }}
      onClick={onChoose}
    >
      {row?.gap === undefined ? row && <Cells row={row} /> : row.gap}
    </div>
  )
}

function Cells({ row }: { readonly row: Row }): JSX.Element {
  const seat = useSeat()
  const { from, to } = namesOf(row, seat.model.principal, seat.model.sessions)
  return (
    <>
      <time>{formatClock(row.atMs)}</time>
      <span class="who">
        <SenderLine text={from} /> → <SenderLine text={to} />
      </span>
      <span class="kind">
        <SenderLine text={row.kind} />
        {row.isLate && ' late'}
      </span>
      <span class="says">
        <SenderLine text={row.text} />
      </span>
      <Delivered row={row} />
    </>
  )
}

/** How many it reached and in how many mailboxes it waits; of the person's own, who has seen it. */
function Delivered({ row }: { readonly row: Row }): JSX.Element {
  const seat = useSeat()
  const states = useModel(seat, ['receipts'], () => [...(seat.model.outcomeOf(row.eventId)?.values() ?? [])])
  const seen = states.filter(({ state }) => state === 'seen').length
  return <span class="counts">{deliveredWords(row, seen)}</span>
}
