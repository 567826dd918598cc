/**
 * The one place of the page that is read out as it changes. A panel is modal, and what lies behind it is not there to a
 * reader: so the place is in the panel while one is open.
 *
 * @see SEAT-32
 */
import type { JSX } from 'preact'
import { useSeat } from '../state/page-seat.ts'

/** What the announcer says; a status is polite by its role. */
export function LiveRegion(): JSX.Element {
  const { line, turn } = useSeat().announcer.announced.value
  return (
    <div class="hidden" role="status">
      <span key={turn}>{line}</span>
    </div>
  )
}
