/**
 * The person's page in a tab: opened as a person opens it, and what it does looked at from within.
 */
import { openTab } from './chromium.mjs'
import { until } from './waiting.mjs'

/** How long rows may take to be on the screen once they were sent, in milliseconds. */
const ARRIVE_MS = 60_000

/** Follows a link. @returns the page, connected, on the screen that shows what needs the person */
export async function openPage(browser, { openLink }) {
  const page = await openTab(browser)
  await page.goto(await openLink())
  await page.waitForSelector('.link.live')
  return page
}

/** The same, on the screen of what passes. */
export async function openPassing(browser, seat) {
  const page = await openPage(browser, seat)
  for (const key of ['g', 'p']) await page.keyboard.press(key)
  await page.waitForSelector('.list')
  return page
}

/**
 * What the list shows.
 *
 * @returns `{elements, rows, newest, top, fresh}`: rows in the document and in the list, the numbers of the newest row in
 *   the document and of the first that is seen whole, and how many the reader is told are new
 */
export function readTimeline(page) {
  return page.evaluate(() => {
    const list = document.querySelector('.timeline')
    const edge = list?.getBoundingClientRect().top ?? 0
    const rows = [...document.querySelectorAll('.timeline .row')].map((row) => ({
      number: Number(row.id.slice('row-'.length)),
      isSeen: row.getBoundingClientRect().top >= edge,
      rows: Number(row.getAttribute('aria-setsize')),
    }))
    return {
      elements: rows.length,
      rows: rows[0]?.rows ?? 0,
      newest: Math.max(-1, ...rows.map(({ number }) => number)),
      top: Math.min(...rows.filter(({ isSeen }) => isSeen).map(({ number }) => number)),
      fresh: Number.parseInt(document.querySelector('.fresh')?.textContent ?? '0', 10),
    }
  })
}

/** Waits until the list is as it is asked for. @throws Error when it does not come to it */
export function untilTimeline(page, isSo) {
  return until(
    async () => isSo(await readTimeline(page)),
    ARRIVE_MS,
    'not all that passed came into the page',
  )
}

/** Away from the end, where nothing follows any more. @param share - of the whole list, from its top */
export async function scrollTo(page, share) {
  await page.$eval('.timeline', (list, part) => (list.scrollTop = list.scrollHeight * part), share)
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
}

/** Back to the end. */
export async function follow(page) {
  await page.$eval('.timeline', (list) => (list.scrollTop = list.scrollHeight))
}

/**
 * Counts, from now on, the frames a page is given and the long tasks of its main thread.
 *
 * @returns `during(work)`: `{framesPerSecond, busyPercent, longestMs}` while the work went on; a page that rests is given
 *   as many frames as the screen has, as long as somebody asks for them
 */
export async function watchVitals(page) {
  await page.evaluate(() => {
    const vitals = { frames: 0, longestMs: 0 }
    globalThis.benchVitals = vitals
    const count = () => {
      vitals.frames += 1
      requestAnimationFrame(count)
    }
    requestAnimationFrame(count)
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) vitals.longestMs = Math.max(vitals.longestMs, duration)
    })
    observer.observe({ type: 'longtask' })
  })
  const readBusySeconds = await watchMainThread(page)
  return {
    async during(work) {
      const before = await page.evaluate(() => {
        globalThis.benchVitals.longestMs = 0
        return { ...globalThis.benchVitals, atMs: performance.now() }
      })
      const busySeconds = await readBusySeconds()
      await work()
      const busy = (await readBusySeconds()) - busySeconds
      const after = await page.evaluate(() => ({ ...globalThis.benchVitals, atMs: performance.now() }))
      const seconds = (after.atMs - before.atMs) / 1_000
      return {
        framesPerSecond: (after.frames - before.frames) / seconds,
        busyPercent: (busy / seconds) * 100,
        longestMs: after.longestMs,
      }
    },
  }
}

/** @returns how long the main thread has had tasks, in seconds, each time it is called */
export async function watchMainThread(page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration').value
  }
}
