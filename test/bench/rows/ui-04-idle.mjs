/** UI-04: what a page costs that nothing happens in, the memory of its process under load, and a tab that is frozen (SEAT-37). */
import { startAgentd } from '../support/agentd.mjs'
import { withChromium } from '../support/chromium.mjs'
import { figureLine } from '../support/contest.mjs'
import { frozenTabLines } from '../support/frozen-tab.mjs'
import { readFineCpuSeconds } from '../support/machine.mjs'
import { openPage, watchMainThread } from '../support/page.mjs'
import { FRAMES_PER_SECOND, pageUnderLoad } from '../support/page-under-load.mjs'
import { startSeat } from '../support/seat.mjs'
import { sleep } from '../support/waiting.mjs'

const MEBIBYTE = 1024 * 1024

/** What the page draws is told by these. */
const TRACED = ['devtools.timeline', 'disabled-by-default-devtools.timeline']

export const row = {
  id: 'UI-04',
  boundMs: 900_000,
  run: (context) =>
    withChromium('an idle page, and a frozen one', async (browser) => [
      ...(await idleLines(context, browser)),
      memoryLine(await pageUnderLoad(context, browser)),
      ...(await frozenTabLines(context, browser)),
    ]),
}

async function idleLines({ scale }, browser) {
  const daemon = await startAgentd()
  try {
    const seat = await startSeat(daemon)
    try {
      const page = await openPage(browser, seat)
      const readBusySeconds = await watchMainThread(page)
      // Whatever the engine still collects after a start is the start's.
      await sleep(scale.pageRestMs)
      const read = async () => ({
        busy: await readBusySeconds(),
        cpu: readFineCpuSeconds(seat.pid),
        atMs: performance.now(),
      })
      const before = await read()
      await sleep(scale.idleMs)
      const after = await read()
      const seconds = (after.atMs - before.atMs) / 1_000
      const share = (member) => ((after[member] - before[member]) / seconds) * 100
      const over = `over ${Math.round(seconds)} s`
      const target = { atMost: 0.2 }
      return [
        figureLine({
          what: `CPU of the process of an idle page, ${over}`,
          unit: '% of a core',
          figure: before.cpu === undefined ? null : share('cpu'),
          target,
        }),
        figureLine({
          what: `main thread of an idle page, ${over}`,
          unit: '% busy',
          figure: share('busy'),
          target,
        }),
        await paintsLine({ scale }, browser, page),
      ]
    } finally {
      await seat.stop()
    }
  } finally {
    await daemon.stop()
  }
}

async function paintsLine({ scale }, browser, page) {
  await browser.startTracing(page, { categories: TRACED })
  await sleep(scale.pageIdleMs)
  const { traceEvents } = JSON.parse(await browser.stopTracing())
  await page.context().close()
  return figureLine({
    what: `paints of an idle page, over ${scale.pageIdleMs / 1_000} s`,
    figure: traceEvents.filter(({ name }) => name === 'Paint').length,
    target: { atMost: 0 },
  })
}

function memoryLine({ peakBytes }) {
  return figureLine({
    what: `RSS of the page's process at ${FRAMES_PER_SECOND} items/s, at the most`,
    unit: 'MiB',
    figure: peakBytes === undefined ? null : peakBytes / MEBIBYTE,
    target: { atMost: 96 },
  })
}
