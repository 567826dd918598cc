/**
 * UI-02 and a line of UI-04 are one measurement: the page idle, and under the load of many busy agents, by turns.
 */
import { startAgentd } from './agentd.mjs'
import { compete } from './contest.mjs'
import { readResidentBytes } from './machine.mjs'
import { follow, openPassing, readTimeline, scrollTo, untilTimeline, watchVitals } from './page.mjs'
import { startSeat } from './seat.mjs'
import { sendSteadily } from './steady-load.mjs'
import { sleep } from './waiting.mjs'

/** Items a second: a hundred agents that are all at work. */
export const FRAMES_PER_SECOND = 500

/** How often the memory of the page's process is looked at, in milliseconds. */
const LOOK_MS = 250

/** Where the reader who scrolled up is, as a share of the list. */
const READER_AT = 0.5

/** So that there is something to scroll, and everything is compiled. */
const WARM_MS = 2_000

/** @returns `{samples, sent, arrived, peakBytes}`; `samples` by `idle`, `following`, `scrolled up` */
export function pageUnderLoad(context, browser) {
  const { shared } = context
  if (!shared.has('page-under-load')) shared.set('page-under-load', measure(context, browser))
  return shared.get('page-under-load')
}

async function measure(context, browser) {
  const daemon = await startAgentd()
  try {
    const seat = await startSeat(daemon)
    try {
      return await measurePage(context, { daemon, seat, page: await openPassing(browser, seat) })
    } finally {
      await seat.stop()
    }
  } finally {
    await daemon.stop()
  }
}

async function measurePage(context, { daemon, seat, page }) {
  const { pageIdleMs, pageLoadMs } = context.scale
  const totals = { sent: 0, arrived: 0 }
  const load = async (durationMs, isShown) => {
    const before = (await readTimeline(page)).rows
    const sent = await sendSteadily(daemon, { framesPerSecond: FRAMES_PER_SECOND, durationMs })
    totals.sent += sent
    await untilTimeline(page, ({ rows }) => rows >= before + sent).catch(() => {})
    const timeline = await readTimeline(page)
    totals.arrived += timeline.rows - before
    // A list that shows nothing new would be fast.
    if (!isShown(timeline)) throw new Error(`the list shows something else: ${JSON.stringify(timeline)}`)
  }
  await load(WARM_MS, isAtEnd)
  const contenders = [
    { name: 'idle', play: () => sleep(pageIdleMs) },
    { name: 'following', play: () => load(pageLoadMs, isAtEnd), prepare: () => follow(page) },
    {
      name: 'scrolled up',
      play: () => load(pageLoadMs, isBehind),
      prepare: () => scrollTo(page, READER_AT),
    },
  ]
  const vitals = await watchVitals(page)
  const memory = watchMemory(seat.pid)
  try {
    const samples = await compete(context, contenders, async ({ prepare, play }) => {
      await prepare?.()
      return vitals.during(play)
    })
    return { samples, ...totals, peakBytes: memory.peakBytes() }
  } finally {
    memory.stop()
    await page.context().close()
  }
}

function isAtEnd({ newest, rows }) {
  return newest === rows - 1
}

function isBehind({ fresh }) {
  return fresh > 0
}

/** Looks again and again; undefined where the system does not say. */
function watchMemory(pid) {
  let peakBytes = readResidentBytes(pid)
  const look = setInterval(() => {
    const bytes = readResidentBytes(pid)
    if (bytes !== undefined) peakBytes = Math.max(peakBytes ?? 0, bytes)
  }, LOOK_MS)
  return { peakBytes: () => peakBytes, stop: () => clearInterval(look) }
}
