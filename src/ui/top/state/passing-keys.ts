/**
 * How the keys change the way what passes is looked at.
 *
 * @see SEAT-36
 */
import type { TopSeat } from './top-seat.ts'

/** Does nothing on another screen, but for the filter, which leads there. */
export function actOnPassing(seat: TopSeat, action: 'filter' | 'follow' | 'pause' | 'only-mine'): void {
  const { passing, screen } = seat.view
  if (action === 'filter') {
    seat.look({ screen: 'passing', panel: undefined })
    return seat.write({ what: 'filter', label: 'Filter', isOneLine: true })
  }
  if (screen !== 'passing' || seat.view.panel !== undefined) return undefined
  const { filter, isFollowing, pausedAt } = passing
  switch (action) {
    case 'follow':
      return seat.look({ passing: { ...passing, isFollowing: !isFollowing, pausedAt: undefined } })
    case 'pause':
      return seat.look({
        passing: { ...passing, pausedAt: pausedAt === undefined ? seat.model.rows.end : undefined },
      })
    case 'only-mine':
    default:
      return seat.look({ passing: { ...passing, filter: { ...filter, onlyMine: !filter.onlyMine } } })
  }
}
