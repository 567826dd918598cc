/**
 * What is tried against the page from within a real browser, with a daemon and a process of its own.
 */
import { openPage, startChromium } from './chromium.mjs'
import { startDaemon } from './daemon.mjs'
import { startHostileSite, startOpenServer } from './hostile-site.mjs'
import { request } from './http.mjs'
import { tryChangedTask } from './seat-approval.mjs'
import { tryContent } from './seat-content.mjs'
import { tryFlood, tryImitation, tryRightToLeft } from './seat-crowd.mjs'
import { FORGED } from './seat-heads.mjs'
import { tryWays } from './seat-hostile-pages.mjs'
import { tryOpenPage } from './seat-open-page.mjs'
import { tryHistory, tryRebinding } from './seat-rebinding.mjs'
import { canBeStranger } from './seat-strangers.mjs'
import { logIn, makeKey, send, signIn, startSeat } from './seat.mjs'
import { createTempDir } from './temp-dir.mjs'

/** Where nothing guards, so many of the ways get through; otherwise they show nothing. */
const LEAST_AT_AN_OPEN_SERVER = 40

/** How long one session asks without end, in seconds, and in a short round. */
const FLOOD_SECONDS = 5
const FEW_FLOOD_SECONDS = 2

/**
 * All of it.
 *
 * @returns undefined where there is no Chromium; otherwise `{tried, passed, figures}`
 * @throws Error where there has to be one
 */
export async function tryBrowser({ minutes, note }) {
  const site = await startHostileSite()
  const evil = `http://evil.test:${site.port}`
  const browser = await startChromium([evil])
  if (browser === undefined) {
    site.close()
    return undefined
  }
  const stage = { evil, site, minutes, note }
  const crowd = await inFrontOfOne(browser, tryCrowd, stage)
  const rest = await inFrontOfOne(browser, tryAll, stage)
  await browser.close()
  site.close()
  return {
    tried: rest.tried,
    passed: [...rest.passed, ...crowd.passed],
    figures: { ...rest.figures, ...crowd.figures },
  }
}

/** Tries something against a daemon and a page's process that nobody has tried anything against. */
async function inFrontOfOne(browser, tryIt, stage) {
  const dir = createTempDir()
  const daemon = await startDaemon({ dir })
  const seat = await startSeat({ dir, socket: daemon.socket })
  const newLink = async () => `http://${seat.authority}/#key=${await makeKey(seat)}`
  const found = await tryIt(browser, { ...stage, seat, daemon, newLink })
  await seat.stop()
  await daemon.stop()
  dir.remove()
  return found
}

async function tryCrowd(browser, { daemon, newLink, minutes, note }) {
  const seconds = minutes >= 0.5 ? FLOOD_SECONDS : FEW_FLOOD_SECONDS
  const flood = await tryFlood(browser, { daemon, link: await newLink(), seconds })
  note(`${flood.asked} questions of one session`)
  const isUsable = flood.answeredMs !== undefined && flood.errors.length === 0
  return {
    passed: isUsable ? [] : [`the page cannot be used: ${JSON.stringify(flood)}`],
    figures: {
      flood_questions: flood.asked,
      flood_answered_ms: flood.answeredMs,
      flood_longest_frame_ms: flood.longestFrameMs,
    },
  }
}

async function tryAll(browser, stage) {
  const { seat, daemon, evil, site, newLink, note } = stage
  const rounds = [
    await tryPages(browser, stage),
    ...(await Promise.all(
      [evil, `http://127.0.0.1:${site.port}`].map(async (whose) =>
        tryHistory(browser, { seat, link: await newLink(), site: `${whose}/` }),
      ),
    )),
    await tryImitation(browser, { daemon, link: await newLink() }),
    await tryRightToLeft(browser, { daemon, link: await newLink() }),
    await tryChangedTask(browser, { daemon, link: await newLink() }),
  ]
  const open = await tryOpenServer(browser, stage)
  note(`${open} ways get through where nothing guards`)
  const content = await tryContent(browser, { daemon, link: await newLink(), note })
  // The last: the process is dead behind it.
  if (canBeStranger()) rounds.push(await tryOpenPage(browser, { seat, daemon, link: await newLink() }))
  const { items, fields, looks, raw, foreign, elsewhere, errors } = content
  return {
    tried: rounds.flatMap((round) => round.tried).length,
    passed: [
      ...rounds.flatMap((round) => round.passed),
      ...content.wrong,
      ...(open < LEAST_AT_AN_OPEN_SERVER ? [`only ${open} ways get through where nothing guards`] : []),
    ],
    figures: {
      ways_that_pass_an_open_server: open,
      content_items_of_fields: `${items} ${fields}`,
      content_looks: looks,
      content_raw_elements_requests_errors: `${raw} ${foreign} ${elsewhere} ${errors}`,
    },
  }
}

/** Pages of another site, of another port of this machine, and of no origin at all; and names that lead here. */
async function tryPages(browser, { seat, daemon, evil, site, newLink }) {
  const stage = {
    origin: `http://${seat.authority}`,
    token: await signIn(seat),
    key: await makeKey(seat),
    forged: FORGED,
  }
  const from = {
    'another site': evil,
    'another port': `http://127.0.0.1:${site.port}`,
    'no origin': evil,
  }
  const rounds = await Promise.all([
    ...Object.entries(from).map(async ([whose, url]) => {
      const { page, context } = await openPage(browser)
      await page.goto(url)
      const place = whose === 'no origin' ? await sandboxed(page, url) : page
      const { tried, passed } = await tryWays(place, context, { ...stage, link: await newLink() })
      await context.close()
      const named = (name) => `${whose}: ${name}`
      return { tried: tried.map(named), passed: passed.map(named) }
    }),
    tryRebinding(browser, { port: seat.port, ...stage }),
  ])
  const isKeyLeft = (await logIn(seat, stage.key)).status === 200
  const isTokenLeft = (await send(seat, { path: '/v1/health', token: stage.token })).status === 200
  const isForged = (await request(daemon.socket, '/v1/frames?limit=1000')).text.includes(FORGED)
  const passed = rounds.flatMap((round) => round.passed)
  if (!isKeyLeft) passed.push('a stolen key was used up')
  if (!isTokenLeft) passed.push('a stolen token was signed out')
  if (isForged) passed.push('a frame was forged')
  return { tried: rounds.flatMap((round) => round.tried), passed }
}

/** A frame whose origin is none. */
async function sandboxed(page, url) {
  await page.evaluate((src) => {
    const frame = document.createElement('iframe')
    frame.sandbox = 'allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox'
    const came = outcome(frame)
    document.body.append(Object.assign(frame, { src }))
    return came
  }, `${url}/inner`)
  return page.frames().find((frame) => frame.url().endsWith('/inner'))
}

/** How many of the ways get through where nothing guards. */
async function tryOpenServer(browser, { evil }) {
  const server = await startOpenServer()
  const { page, context } = await openPage(browser)
  await page.goto(evil)
  const stage = { token: 'x'.repeat(43), key: 'x'.repeat(43), forged: FORGED }
  const origin = `http://127.0.0.1:${server.port}`
  const { passed } = await tryWays(page, context, { ...stage, origin, link: `${origin}/#key=x` })
  await context.close()
  server.close()
  return new Set(passed.map((line) => line.split(': ')[0])).size
}
