/**
 * Everything that passes, as it passes, with the detail of one item beside it.
 *
 * @see SEAT-32…SEAT-36
 */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { FilteredRows, isEveryRow } from '../../seat/passing/row-filter.ts'
import { HEADINGS, STATES } from '../../seat/words.ts'
import { StateNote } from '../parts/state-note.tsx'
import { useSeat } from '../state/page-seat.ts'
import { useModel } from '../state/use-model.ts'
import { FilterBar } from './filter-bar.tsx'
import { ItemDetail } from './item-detail.tsx'
import { Timeline } from './timeline.tsx'
import type { PassingView } from './view.ts'

/** The screen. */
export function PassingScreen({ view }: { readonly view: PassingView }): JSX.Element {
  const seat = useSeat()
  const { principal } = seat.model
  const filter = view.filter.value
  const rows = useMemo(() => new FilteredRows(seat.model.rows, filter, principal), [filter, principal])
  const count = useModel(seat, ['rows'], () => {
    rows.update()
    return rows.length
  })
  const { value: eventId } = seat.openItem
  const empty = isEveryRow(filter) ? STATES.nothingPassed : STATES.nothingFits
  return (
    <div class={eventId === undefined ? 'passing' : 'passing with-detail'}>
      <section class="list" aria-labelledby="passing-heading">
        <h2 id="passing-heading" class="hidden">
          {HEADINGS.passing}
        </h2>
        <FilterBar view={view} />
        {count === 0 ? <StateNote state={empty} /> : <Timeline rows={rows} view={view} />}
      </section>
      {eventId !== undefined && <ItemDetail key={eventId} eventId={eventId} />}
    </div>
  )
}
