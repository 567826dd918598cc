/**
 * Names of an attacker's own that lead to this machine, and what is left behind in a tab that goes from the page to a
 * hostile one.
 */
import { keptBy, openPage } from './chromium.mjs'
import { send } from './seat.mjs'

/** To a browser each is a site of its own; all lead to 127.0.0.1. */
const NAMES = ['rebound.test', '127.0.0.1.rebound.test', 'localhost', 'seat.localhost']

/** Name → what a page asks of its own origin, as `fetch` takes it. */
const asksOf = ({ token, key, forged }) => {
  const authorization = `Bearer ${token}`
  const post = { method: 'POST', headers: { 'content-type': 'application/json', authorization } }
  return {
    'its script': ['/page.js', {}],
    'the API': ['/v1/health', { headers: { authorization } }],
    'a watch': ['/v1/watch', { headers: { authorization } }],
    'a greeting': ['/hello?nonce=0123456789abcdef', {}],
    'a frame': ['/v1/verbs/agent_broadcast', { ...post, body: JSON.stringify({ text: forged }) }],
    'a login': ['/login', { ...post, body: JSON.stringify({ key }) }],
  }
}

const WRONG_HOST = 421

/** @returns names of what was tried, and what passed */
export async function tryRebinding(browser, { port, ...stage }) {
  const tried = []
  const passed = []
  const note = (name, status) => {
    tried.push(name)
    if (status !== WRONG_HOST) passed.push(`${name}: ${status}`)
  }
  for (const host of NAMES) {
    const { page, context } = await openPage(browser)
    const origin = `http://${host}:${port}`
    const came = await page.goto(`${origin}/`)
    note(`rebinding ${host}: the document`, came?.status())
    // As it is after the name has changed its address: the page is an attacker's, and its origin leads here.
    await page.route(`${origin}/`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
    )
    await page.goto(`${origin}/`)
    for (const [name, ask] of Object.entries(asksOf(stage))) {
      const status = await page.evaluate(async ([path, options]) => (await fetch(path, options)).status, ask)
      note(`rebinding ${host}: ${name}`, status)
    }
    await context.close()
  }
  return { tried, passed }
}

/** Name → what a page can look up of where its tab was before. */
const LOOKS = {
  'who sent it': () => document.referrer,
  'entries of the history': () => navigation.entries().map(({ url }) => url),
  'its state': () => JSON.stringify(history.state),
  'the name of the window': () => window.name,
  'what is stored': () =>
    JSON.stringify([Object.entries(sessionStorage), Object.entries(localStorage), document.cookie]),
  'what was measured': () => performance.getEntries().map(({ name }) => name),
  'colours of links': (link) => {
    const [visited, other] = [link, `${link}-never`].map((href) => {
      const made = document.body.appendChild(Object.assign(document.createElement('a'), { href }))
      return getComputedStyle(made).color
    })
    return visited === other ? '' : link
  },
}

const UNAUTHORIZED = 401

/** Each part of a token, in the place of the whole, which opens. @returns what passed */
async function tryParts(seat, parts) {
  const statusOf = async (token) => (await send(seat, { path: '/v1/health', token })).status
  if ((await statusOf(parts.join(''))) !== 200) throw new Error('The tab has no token that opens.')
  const answers = await Promise.all(parts.map(async (part) => [part, await statusOf(part)]))
  return answers.flatMap(([part, status]) =>
    status === UNAUTHORIZED ? [] : `history: a part of the token, ${part.length} characters: ${status}`,
  )
}

/**
 * The person's own tab is signed in, and goes to the hostile site. Chromium may hand on the name of its window there, and with it
 * one part of the token, which opens nothing; nothing else of the page may be seen.
 *
 * @param link - one that was not used yet
 */
export async function tryHistory(browser, { seat, link, site }) {
  const { page, context } = await openPage(browser)
  await page.goto(link)
  await page.waitForSelector('.link.live')
  const parts = await keptBy(page)
  await page.goto(site)
  const passed = await tryParts(seat, parts)
  for (const [name, look] of Object.entries(LOOKS)) {
    const found = String(await page.evaluate(look, link))
    const own = found.replaceAll(site, '')
    if (own.includes(seat.authority) || own.includes(parts[1]))
      passed.push(`history at ${site}: ${name}: ${own.slice(0, 100)}`)
  }
  await context.close()
  return { tried: [...parts, ...Object.keys(LOOKS)].map((name) => `history: ${name}`), passed }
}
