/** UI-03: what a page holds of 100 000 items, and where its reader stays when older ones go (SEAT-35, SEAT-36). */
import { startAgentd } from '../support/agentd.mjs'
import { withChromium } from '../support/chromium.mjs'
import { figureLine, ratioLine } from '../support/contest.mjs'
import { sendFrames } from '../support/load.mjs'
import { openPassing, readTimeline, scrollTo, untilTimeline } from '../support/page.mjs'
import { startSeat } from '../support/seat.mjs'

/** As many as the page keeps. */
const ROWS = 100_000

/** Sent at once; the page has shown them before the next ones come. */
const PORTION = 5_000

/** What goes past a reader who is in the middle of the list. */
const PASSING = 3_000

const MEBIBYTE = 1024 * 1024

export const row = {
  id: 'UI-03',
  boundMs: 600_000,
  run: (context) =>
    withChromium(`what a page holds of ${ROWS} items`, async (browser) => {
      const daemon = await startAgentd()
      try {
        const seat = await startSeat(daemon)
        try {
          return await measure(context, { daemon, page: await openPassing(browser, seat) })
        } finally {
          await seat.stop()
        }
      } finally {
        await daemon.stop()
      }
    }),
}

async function measure({ scale }, { daemon, page }) {
  const looks = [await fill(daemon, page, ROWS)]
  const full = await readHeapBytes(page)
  looks.push(await fill(daemon, page, scale.moreRows))
  const later = await readHeapBytes(page)
  await scrollTo(page, 0.5)
  const before = await readTimeline(page)
  await sendFrames(daemon, { count: PASSING })
  await untilTimeline(page, ({ fresh }) => fresh >= PASSING)
  const after = await readTimeline(page)
  looks.push(before.elements, after.elements)
  await page.context().close()
  return [
    figureLine({
      what: `JS heap with ${ROWS} rows`,
      unit: 'MiB',
      figure: full / MEBIBYTE,
      target: { atMost: 64 },
    }),
    ratioLine({
      what: `JS heap after ${scale.moreRows} more`,
      unit: 'MiB',
      own: [later / MEBIBYTE],
      peer: { name: 'before', values: [full / MEBIBYTE] },
      target: { atMost: 1.05 },
    }),
    figureLine({
      what: 'rows in the document, at the most',
      figure: Math.max(...looks),
      target: { atMost: 200 },
    }),
    figureLine({
      what: `rows a reader in the middle was moved by, ${PASSING} new`,
      figure: Math.abs(after.top - before.top),
      target: { atMost: 0 },
      note: `reads ${after.fresh} new`,
    }),
  ]
}

/** Lets as many pass, and follows them. @returns how many rows stood in the document at the most */
async function fill(daemon, page, count) {
  let { newest } = await readTimeline(page)
  let most = 0
  for (let sent = 0; sent < count; sent += PORTION) {
    const portion = Math.min(PORTION, count - sent)
    await sendFrames(daemon, { count: portion })
    newest += portion
    await untilTimeline(page, (timeline) => {
      most = Math.max(most, timeline.elements)
      return timeline.newest >= newest
    })
  }
  return most
}

/** What is in use after everything that can go has gone, the columns of numbers included. */
async function readHeapBytes(page) {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize, backingStorageSize = 0 } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize + backingStorageSize
}
