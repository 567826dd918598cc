/**
 * Where the page begins.
 */
import { render } from 'preact'
import { App } from './app.tsx'
import { PageSeat, SeatProvider } from './state/page-seat.ts'

const root = document.querySelector('#seat')
const seat = new PageSeat()
// Before anything is drawn: the answer is on its way meanwhile (SEAT-33).
void seat.start()
if (root !== null) {
  render(
    <SeatProvider value={seat}>
      <App />
    </SeatProvider>,
    root,
  )
}
