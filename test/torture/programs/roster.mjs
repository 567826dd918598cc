/**
 * HD-06: a roster of as many sessions as there may be, each as wordy as it may be: pages, the loop, and a hook.
 */
import { startDaemon } from '../support/daemon.mjs'
import { crowdRoster, longestWait, readPages, startBeside } from '../support/roster.mjs'
import { createTempDir } from '../support/temp-dir.mjs'
import { sleep } from '../support/waiting.mjs'

/** The default bound, with room for the hooks' own. */
const SESSIONS = 4_090

/** What one answer may weigh, in octets; a hook reads eight times as much. */
const MAX_PAGE_OCTETS = 2 ** 21

/** How much longer than with nothing to do anybody else may wait, in milliseconds (HD-10). */
const MAX_WAIT_MS = 50

/** Times that everything is read. */
const ROUNDS = 4

/** The least of a few rounds: what else runs on the machine delays some, what the daemon does delays all. */
async function leastWait(socket, work) {
  let least
  for (let i = 0; i < ROUNDS; i += 1) {
    // oxlint-disable-next-line eslint/no-await-in-loop
    const round = await longestWait(socket, work)
    if (least === undefined || round.longestMs < least.longestMs) least = round
  }
  return least
}

async function run({ note }) {
  const dir = createTempDir()
  const daemon = await startDaemon({ dir })
  const { socket } = daemon
  const taken = await crowdRoster(socket, SESSIONS)
  note(`${taken} sessions`)

  const idle = await leastWait(socket, () => sleep(500))
  const { result, longestMs } = await leastWait(socket, () => readPages(socket, '~alice'))
  const cwd = dir.file('home', 'api')
  const hook = await startBeside(daemon, { peer: 'neighbour', cwd })
  const isTold = hook.text.includes('neighbour@p1')
  const exit = await daemon.stop()
  dir.remove()

  return {
    holds:
      taken === SESSIONS &&
      result.sessions === SESSIONS &&
      result.largestOctets <= MAX_PAGE_OCTETS &&
      longestMs <= MAX_WAIT_MS + idle.longestMs &&
      isTold &&
      exit.code === 0,
    sessions: result.sessions,
    pages: result.pages,
    largest_page_octets: result.largestOctets,
    longest_wait_idle_ms: Math.round(idle.longestMs),
    longest_wait_ms: Math.round(longestMs),
    hook_speaks: isTold,
    hook_ms: Math.round(hook.tookMs),
  }
}

export default {
  name: 'roster',
  promise: 'R-48',
  summary:
    'thousands of sessions that say all they may: the pages, who waits for them, and what a hook tells',
  run,
}
