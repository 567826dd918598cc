/** UI-01: how large the page is, what it asks for, and when it can be used, beside an empty one (SEAT-33). */
import { gzipSync } from 'node:zlib'
import { startAgentd } from '../support/agentd.mjs'
import { openTab, withChromium } from '../support/chromium.mjs'
import { compete, figureLine, ratioLine } from '../support/contest.mjs'
import { startSeatWithEmptyPage } from '../support/seat.mjs'
import { median } from '../support/statistics.mjs'

const FILES = ['/', '/page.js', '/page.css', '/icon.svg']

export const row = {
  id: 'UI-01',
  run: (context) =>
    withChromium('how soon the page can be used', async (browser) => {
      const daemon = await startAgentd()
      try {
        const seat = await startSeatWithEmptyPage(daemon)
        try {
          const { origin } = new URL(await seat.openLink())
          return [
            ...(await sizeLines(origin)),
            ...(await requestLines(browser, seat, origin)),
            await usableLine(context, browser, seat),
          ]
        } finally {
          await seat.stop()
        }
      } finally {
        await daemon.stop()
      }
    }),
}

async function sizeLines(origin) {
  const sizes = await Promise.all(
    FILES.map(
      async (path) => gzipSync(await (await fetch(origin + path)).arrayBuffer(), { level: 9 }).length,
    ),
  )
  return [
    figureLine({
      what: 'the page, gzipped',
      unit: 'KB',
      figure: sizes.reduce((sum, size) => sum + size, 0) / 1_000,
      target: { atMost: 40 },
    }),
  ]
}

async function requestLines(browser, seat, origin) {
  const page = await openTab(browser)
  const asked = []
  page.on('request', (request) => asked.push(new URL(request.url())))
  await page.goto(await seat.openLink(), { waitUntil: 'load' })
  await page.waitForSelector('.link.live')
  await page.context().close()
  const own = asked.filter((url) => url.origin === origin)
  const files = own.filter(({ pathname }) => FILES.includes(pathname))
  return [
    figureLine({
      what: 'files the page asks for',
      figure: files.length,
      target: { atMost: FILES.length },
      note: `beside ${own.length - files.length} to sign in and watch`,
    }),
    figureLine({
      what: 'requests to anybody else',
      figure: asked.length - own.length,
      target: { atMost: 0 },
    }),
  ]
}

async function usableLine(context, browser, seat) {
  const contenders = [
    { name: 'the page', openLink: seat.openLink, selector: '.link.live' },
    { name: 'an empty page', openLink: seat.openEmptyLink, selector: 'title' },
  ]
  for (const contender of contenders) await timeUsable(browser, contender)
  const samples = await compete(context, contenders, async (contender) => {
    const times = []
    for (let i = 0; i < context.scale.opens; i += 1) times.push(await timeUsable(browser, contender))
    return median(times)
  })
  const [page, empty] = contenders.map(({ name }) => name)
  return ratioLine({
    what: 'from following the link to a page that can be used',
    unit: 'ms',
    own: samples.get(page),
    peer: { name: empty, values: samples.get(empty) },
    target: { atMost: 3 },
  })
}

/** @returns milliseconds from the start of the navigation to the frame that shows what is looked for */
async function timeUsable(browser, { openLink, selector }) {
  const page = await openTab(browser)
  await page.goto(await openLink(), { waitUntil: 'commit' })
  const ms = await page.evaluate(
    (wanted) =>
      new Promise((resolve) => {
        const look = () => {
          // Found before this frame is painted; the next one comes when it has been.
          if (document.querySelector(wanted) === null) requestAnimationFrame(look)
          else requestAnimationFrame(() => resolve(performance.now()))
        }
        look()
      }),
    selector,
  )
  await page.context().close()
  return ms
}
