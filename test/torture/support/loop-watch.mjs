/**
 * Loaded into the daemon (`--import`): how long its loop was held, at the most, between two signals.
 *
 * At SIGUSR2 it writes the longest delay in milliseconds to the file that `LOOP_WATCH_FILE` names, and begins anew.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How often the loop is looked at, in milliseconds: a delay shorter than this is none. */
const RESOLUTION_MS = 5

const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
delays.enable()

process.on('SIGUSR2', () => {
  // A delay is known when the next look comes.
  setTimeout(write, 4 * RESOLUTION_MS)
})

function write() {
  const file = String(process.env.LOOP_WATCH_FILE)
  writeFileSync(`${file}.part`, String(Math.max(0, delays.max / 1e6 - RESOLUTION_MS)))
  renameSync(`${file}.part`, file)
  delays.reset()
}
