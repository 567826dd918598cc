/**
 * One session that asks the person 200 times a second, one whose question looks like the seat's own, and one that says what
 * it is called from right to left.
 */
import { openPage } from './chromium.mjs'
import { request } from './http.mjs'
import { sleep, waitFor } from './waiting.mjs'

const PERSON = '~alice/human*'

/** Questions a second. */
const RATE = 200

/** An answer that takes longer means a page that cannot be used, in milliseconds. */
const USABLE_MS = 15_000

/** How long a card does nothing after it came, and some, in milliseconds. */
const DEAF_MS = 600

async function register(socket, members) {
  const { body } = await request(socket, '/v1/sessions', { json: { instrument: 'cc', ...members } })
  return body.token
}

function ask(socket, token, text) {
  return request(socket, '/v1/verbs/agent_query', { json: { text, recipient_scope: PERSON }, token })
}

async function countOf(socket, kind) {
  return (await request(socket, `/v1/frames?limit=1000&filter=kind:${kind}`)).body.items.length
}

/** A page that is signed in. */
async function sit(browser, link) {
  const opened = await openPage(browser)
  await opened.page.goto(link)
  await opened.page.waitForSelector('.link.live')
  return opened
}

/** @returns `{asked, answeredMs, longestFrameMs, errors}`; no `answeredMs` where no answer went out */
export async function tryFlood(browser, { daemon: { socket }, link, seconds }) {
  const { page, context, errors } = await sit(browser, link)
  const token = await register(socket, { session_id: 'flood' })
  await ask(socket, token, 'the first one')
  const card = page.locator('[data-type=question]', { hasText: 'the first one' })
  await card.waitFor()
  await page.evaluate(WATCH_FRAMES)
  let asked = 1
  const endMs = performance.now() + seconds * 1_000
  const flood = (async () => {
    while (performance.now() < endMs) {
      const tenth = sleep(100)
      const answers = await Promise.all(
        Array.from({ length: RATE / 10 }, () => ask(socket, token, `and ${asked}?`)),
      )
      asked += answers.filter(({ status }) => status === 200).length
      await tenth
    }
  })()
  await sleep(DEAF_MS)
  const startedMs = performance.now()
  await answer(card)
  const isAnswered = await waitFor(async () => (await countOf(socket, 'agent_response')) > 0, USABLE_MS, 100)
  const answeredMs = isAnswered === undefined ? undefined : Math.round(performance.now() - startedMs)
  await flood
  const longestFrameMs = Math.round(await page.evaluate('globalThis.longestFrameMs'))
  await context.close()
  return { asked, answeredMs, longestFrameMs, errors }
}

/** As a person does: a button that did nothing, since its card had just moved, is clicked again. */
async function answer(card) {
  const field = card.locator('textarea')
  await waitFor(
    async () => {
      if ((await field.count()) === 0) await card.locator('[data-action=answer]').click()
      return (await field.count()) > 0
    },
    USABLE_MS,
    200,
  )
  await field.fill('yes')
  await field.press('Control+Enter')
}

const WATCH_FRAMES = `
  globalThis.longestFrameMs = 0
  let before = performance.now()
  const look = (now) => {
    globalThis.longestFrameMs = Math.max(globalThis.longestFrameMs, now - before)
    before = now
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
`

/** What a card of the seat's own would say. */
const IMITATION = [
  'Sent to 1 session.',
  'Approval from human.alice',
  'intent ops.deploy  from agent.boss',
  `hash sha-256:${'ab'.repeat(32)}`,
  '[y] Approve  [n] Reject',
  'Press Enter to approve this task, Esc to leave it.',
].join('\n')

/** @returns names of what was tried, and what passed */
export async function tryImitation(browser, { daemon: { socket }, link }) {
  const { page, context } = await sit(browser, link)
  const posted = []
  page.on('request', (asked) => asked.method() === 'POST' && posted.push(new URL(asked.url()).pathname))
  const token = await register(socket, { session_id: 'mime', title: IMITATION.slice(0, 80) })
  await ask(socket, token, IMITATION)
  const card = page.locator('[data-type=question]', { hasText: 'Approval from human.alice' })
  await card.waitFor()
  await sleep(DEAF_MS)
  await card.focus()
  for (const key of ['y', 'Enter', 'n', 'Enter', '1', 'Enter']) await page.keyboard.press(key)
  const name = card.page().locator('.sender-block', { hasText: 'Press Enter to approve' })
  const rule = await name.evaluate((block) => getComputedStyle(block).borderInlineStartWidth)
  const checks = {
    'it is called a question': (await card.locator('h3').innerText()).startsWith('Question from'),
    'it has no button to approve': (await card.locator('[data-action=approve], .confirm').count()) === 0,
    'its keys do nothing': posted.every((path) => path === '/v1/seen'),
    'its words stand behind a rule': Number.parseFloat(rule) >= 2,
    'and whole within it': (await name.innerText()).trim() === IMITATION,
    'no outcome is told': (await card.locator('.outcome').count()) === 0,
  }
  await context.close()
  return judged('a question that imitates a card', checks)
}

/** A title of right-to-left letters turns nothing round, and pushes nothing out of sight. */
export async function tryRightToLeft(browser, { daemon: { socket }, link }) {
  // A title has 256 octets, and each of these letters two.
  const title = '\u05d0'.repeat(128)
  const token = await register(socket, { session_id: 'rtl', title, branch: '\u05d1'.repeat(120) })
  await ask(socket, token, `\u202e${'\u05d2'.repeat(256)}`)
  const { page, context } = await sit(browser, link)
  const checks = {}
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 800 })
    const card = page.locator('[data-type=question]', { hasText: '\u05d2' })
    await card.waitFor()
    const found = await card.evaluate(measure)
    checks[`at ${width}: what it is stands before who asks`] = found.isOurs
    checks[`at ${width}: how long it waits can be read`] = found.isTimeWithin
    checks[`at ${width}: nothing scrolls sideways`] = found.wide <= width
    checks[`at ${width}: its turning character is told by its number`] = found.text.includes('U+202E')
  }
  checks['the title was taken'] = (await page.innerText('.here')).includes('\u05d0'.repeat(32))
  await context.close()
  return judged('a title of right-to-left letters alone', checks)
}

/** In the page. */
function measure(card) {
  const range = document.createRange()
  const heading = card.querySelector('h3')
  range.selectNode(heading.firstChild)
  const [ours, theirs] = [
    range.getBoundingClientRect(),
    heading.querySelector('.sender').getBoundingClientRect(),
  ]
  const [time, box] = [card.querySelector('time').getBoundingClientRect(), card.getBoundingClientRect()]
  return {
    isOurs: ours.left <= theirs.left && ours.top <= theirs.top,
    isTimeWithin: time.left >= box.left && time.right <= box.right && time.bottom <= box.bottom,
    wide: document.documentElement.scrollWidth,
    text: card.innerText,
  }
}

/** Each check is an attempt; one that does not hold has passed. */
export function judged(what, checks) {
  const tried = Object.keys(checks).map((name) => `${what}: ${name}`)
  return { tried, passed: tried.filter((_name, at) => Object.values(checks)[at] !== true) }
}
