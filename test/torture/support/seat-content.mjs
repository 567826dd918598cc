/**
 * What senders write, on every screen of the page: the corpus of R-38 and markup, in every field of every kind (SEAT-27).
 */
import { randomUUID } from 'node:crypto'
import { openPage } from './chromium.mjs'
import { makeEnvelope } from './envelopes.mjs'
import { NASTY, openSessions, publishAll } from './hostile-text.mjs'
import { request } from './http.mjs'
import { PAYLOADS } from './mutation.mjs'

/** What is markup somewhere, and an address that a browser would ask for. */
const MARKUP = [
  '<img src=//elsewhere.test/a onerror=alert(1)>',
  '<script src=//elsewhere.test/b></script><x-hostile>',
  '</bdi></article><article data-need="fake">',
  '[c](javascript:alert(3)) **b** http://elsewhere.test/c',
  '{{7*7}} ${7*7} &lt;b&gt; <!-- ]]>',
  '<svg/onload=alert(4)><style>*{color:red}</style>',
]
/** Fewer and longer ones: no field that takes one piece is too short for four. */
const TEXTS = [...MARKUP, ...inFours(NASTY)]

/** What a person is asked with. */
const ASKING = {
  agent_query: PAYLOADS.agent_query,
  agent_binding_moment: PAYLOADS.agent_binding_moment,
  peer_diagnostic_request: { ...PAYLOADS.peer_diagnostic_request, severity: 'blocked' },
}

const PERSON = 'human.alice'

/** What the page itself is made of holds none of these. */
const FOREIGN =
  'img, a, b, i, iframe, object, embed, svg, form, base, x-hostile, script:not([src="page.js"]), style, [data-need=fake]'

const UNSEEN = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`

/** Counts in the page what should not be there. */
const LOOK = `(() => {
  const walker = document.createTreeWalker(document.querySelector('#seat'), NodeFilter.SHOW_TEXT)
  let [raw, characters] = [0, 0]
  while (walker.nextNode()) {
    characters += walker.currentNode.data.length
    raw += [...walker.currentNode.data.matchAll(/${UNSEEN}/gu)].length
  }
  raw += [...document.title.matchAll(/${UNSEEN}/gu)].length
  return { raw, characters, foreign: document.querySelectorAll('${FOREIGN.replaceAll("'", '"')}').length }
})()`

/** Sessions that say all they may of themselves, each at a prompt of its own. */
async function comeIn(socket, figures) {
  const tokens = await openSessions(socket, figures, TEXTS)
  for (const [at, token] of tokens.entries()) {
    const json = { state: 'waiting', reason: 'question', text: TEXTS[at] }
    await request(socket, '/v1/sessions/self/activity', { json, token })
  }
}

async function sayAll(socket, figures) {
  await publishAll(socket, figures, { texts: TEXTS, isBrief: true })
  await publishAll(socket, figures, {
    texts: TEXTS,
    payloads: ASKING,
    scope: '~alice/human*',
    isBrief: true,
  })
  const hash = `sha-256:${'ab'.repeat(32)}`
  const payloads = TEXTS.flatMap((text) => [
    { intent: 'ops.door.open', payload: { text, [text]: text } },
    {
      intent: 'approval.request',
      payload: { task: { id: randomUUID(), intent: text, from: text, hash }, summary: text },
    },
  ])
  for (const members of payloads) {
    const json = makeEnvelope({ ...members, to: PERSON })
    const { status } = await request(socket, '/v1/envelopes', { json })
    figures[status === 200 ? 'published' : 'refused'] += 1
  }
}

function inFours(texts) {
  return Array.from({ length: Math.ceil(texts.length / 4) }, (_, at) =>
    texts.slice(at * 4, at * 4 + 4).join(' '),
  )
}

/**
 * Says all of it and looks at every screen.
 *
 * @param link - one that was not used yet
 * @returns figures; `wrong` names each screen with something on it that should not be there
 */
export async function tryContent(browser, { daemon, link, note }) {
  const { page, context, errors } = await openPage(browser)
  const elsewhere = []
  const { origin } = new URL(link)
  page.on('request', (asked) => asked.url().startsWith(`${origin}/`) || elsewhere.push(asked.url()))
  await page.goto(link)
  await page.waitForSelector('.link.live')
  const said = { published: 0, refused: 0, fields: new Set(), sessions: 0, wrong: [] }
  const seen = { looks: 0, raw: 0, foreign: 0, wrong: said.wrong }
  const look = async (screen) => {
    const { raw, foreign, characters } = await page.evaluate(LOOK)
    seen.looks += 1
    seen.raw += raw
    seen.foreign += foreign
    if (raw + foreign > 0) seen.wrong.push(`${screen}: ${raw} raw, ${foreign} elements`)
    if (characters < 100) seen.wrong.push(`${screen}: shows nothing`)
  }
  await comeIn(daemon.socket, said)
  await lookAtSessions(page, look)
  await sayAll(daemon.socket, said)
  note(`${said.published} items of ${said.fields.size} fields`)
  await lookAtNow(page, look)
  await lookAtPassing(page, look)
  await lookAtThread(page, look)
  await context.close()
  if (elsewhere.length > 0) seen.wrong.push(`asked for ${elsewhere.slice(0, 3).join(' ')}`)
  if (errors.length > 0) seen.wrong.push(`console: ${errors.slice(0, 3).join(' ')}`)
  return {
    ...seen,
    items: said.published,
    fields: said.fields.size,
    elsewhere: elsewhere.length,
    errors: errors.length,
  }
}

async function lookAtSessions(page, look) {
  const lines = page.locator('.here-line')
  await lines.first().waitFor()
  for (let at = 0; at < (await lines.count()); at += 1) {
    await lines.nth(at).press('Enter')
    await lookAtPanel(page, () => look('session'))
  }
}

async function lookAtPanel(page, look) {
  await page.waitForSelector('dialog')
  await look()
  await page.keyboard.press('Escape')
  await page.waitForSelector('dialog', { state: 'detached' })
}

async function lookAtNow(page, look) {
  await page.waitForSelector('[data-type=approval]')
  await page.click('summary')
  await look('now')
  for (const type of ['question', 'decision', 'diagnostic', 'task', 'approval', 'prompt'])
    if ((await page.locator(`[data-type=${type}]`).count()) === 0)
      throw new Error(`there is no card of the type ${type}`)
  for (const [key, panel] of [
    ['s', 'compose'],
    ['?', 'help'],
  ]) {
    await page.keyboard.press(key)
    await lookAtPanel(page, () => look(panel))
  }
}

/** The whole list, a window at a time, and one item of each window in full. */
async function lookAtPassing(page, look) {
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  await page.waitForSelector('.row')
  const list = page.locator('.timeline')
  const { height, step } = await list.evaluate((box) => ({
    height: box.scrollHeight,
    step: box.clientHeight,
  }))
  for (let top = 0; top < height; top += step) {
    await list.evaluate((box, to) => (box.scrollTop = to), top)
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    )
    await page.locator('.row').first().dispatchEvent('click')
    await page.waitForSelector('.json')
    await look('passing')
  }
}

/** The envelopes are of one workflow: as a tree, and as a sequence. */
async function lookAtThread(page, look) {
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await page.locator('.lines .here-line').first().click()
  for (const shape of ['.tree', '.sequence']) {
    if (shape === '.sequence') await page.locator('.detail .verbs button').nth(1).click()
    await page.waitForSelector(shape)
    await look('threads')
  }
}
