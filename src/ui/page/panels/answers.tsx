/**
 * What came back for a question of the person's, as it comes: answers, and that somebody says there is none.
 *
 * @see SEAT-12, SEAT-23
 */
import type { JSX } from 'preact'
import type { Row } from '../../seat/passing/rows.ts'
import { withinHandle } from '../../seat/here/session.ts'
import { DISMISSED_BY } from '../../seat/words.ts'
import { SenderBlock, SenderLine } from '../parts/sender-text.tsx'
import { useSeat, type PageSeat } from '../state/page-seat.ts'
import { useModel } from '../state/use-model.ts'

/** Rows that are looked back at: an answer comes within the minute. */
const LOOK_BACK_ROWS = 2_000

/** The answers, the oldest first. */
export function Answers({ queryId }: { readonly queryId: string }): JSX.Element {
  const seat = useSeat()
  const rows = useModel(seat, ['rows'], () => answersTo(seat, queryId))
  return (
    <section aria-label="Answers">
      {rows.length === 0 && <p class="note">No answer yet.</p>}
      {rows.map((row) => (
        <div key={row.place}>
          <p class="facts">
            {row.kind === 'response' ? 'from' : DISMISSED_BY} <SenderLine text={withinHandle(row.from)} />
          </p>
          <SenderBlock text={row.text} />
        </div>
      ))}
    </section>
  )
}

function answersTo({ model }: PageSeat, queryId: string): readonly Row[] {
  const found: Row[] = []
  const { start, end } = model.rows
  for (let place = Math.max(start, end - LOOK_BACK_ROWS); place < end; place += 1) {
    const row = model.rows.get(place)
    if (row?.thread === queryId && row.kind !== 'query') found.push(row)
  }
  return found
}
