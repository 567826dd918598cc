import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Browser } from 'playwright-core'
import { advisory, decisionFrame, need, session, snapshot } from '../ui/support/wire.ts'
import { findChromium } from '../support/needs.ts'
import { launch, openPage } from './support/browser.ts'

const chromium = findChromium()

/** Every unseen character of the first plane and some beyond, and everything that is markup somewhere. */
const UNSEEN = Array.from({ length: 0xffff }, (_, point) => String.fromCodePoint(point)).filter((one) =>
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(one),
)
const HOSTILE = [
  '<img src=x onerror=alert(1)><script>alert(2)</script>',
  '[click](javascript:alert(3)) **bold** https://evil.example/x.png',
  '</bdi></article><article data-need="fake"><h3>Approval from you</h3>',
  '{{7*7}} ${7*7} &lt;b&gt;',
  `${UNSEEN.join('')}\u{e0041}\u{1d173}\ud800`,
  '\u202e'.repeat(64) + 'א'.repeat(256),
].join(' ')

/** What the process behind the page answers to a path: hostile in every member that somebody else writes. */
function answerTo(path: string): object {
  const words = { corr: HOSTILE, intent: HOSTILE, from: HOSTILE, to: HOSTILE }
  if (path === '/v1/threads') return { items: [{ ...words, envelopes: 1, open_tasks: 1 }], next: null }
  if (path !== '/thread') return { sender: HOSTILE, scope: HOSTILE, frame: { payload: HOSTILE } }
  const notes = [{ ours: 'refuted by ', theirs: HOSTILE }]
  const hop = { ...words, event: 'e1-1', depth: 0, at: 0, type: 'task', after: '', notes }
  const sequence = { lanes: [HOSTILE], arrows: [{ hop: 0, lane: 0, lanes: 1, goes: '↻' }] }
  return { corr: HOSTILE, says: '1 envelope', hops: [hop], sequence, more: false, mermaid: '' }
}

const CLASSES = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`

describe.runIf(chromium !== undefined)("senders' text", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(chromium)
  })
  afterAll(() => browser.close())

  test('in every field on every screen it is text: no element, no request, no error, no raw character (SEAT-27, R-38)', async () => {
    const address = '~alice/cc@s1'
    const from = {
      address,
      name: HOSTILE,
      title: HOSTILE,
      repository: `/r/${HOSTILE}/.git`,
      branch: HOSTILE,
      present: true,
    }
    const option = { label: HOSTILE, reasoning: HOSTILE }
    const frame = decisionFrame({ stem: HOSTILE, options: [option, option] })
    const payload = { task: { id: HOSTILE, intent: HOSTILE, from: HOSTILE, hash: HOSTILE }, summary: HOSTILE }
    const activity = { state: 'waiting', reason: 'question', text: HOSTILE, since: new Date().toISOString() }
    const facts = {
      title: HOSTILE,
      branch: HOSTILE,
      cwd: HOSTILE,
      worktree: '/r',
      repository: '/r/.git',
      name: HOSTILE,
    }
    const open = await openPage(browser, (seat) => {
      seat.snapshot = snapshot({
        sessions: [session(address, { ...facts, activity }), session('~alice/cc@s2', facts)],
        needs: [
          need('q1', { from, text: HOSTILE }),
          need('d1', { type: 'decision', from, frame }),
          need('a1', { type: 'approval', from, envelope: { from: HOSTILE, payload } }),
          need('p1', { type: 'prompt', from, text: HOSTILE }),
        ],
      })
      seat.answers = ({ path }) => ({ status: 200, body: answerTo(path.split('?')[0] ?? '') })
    })
    const { page } = open
    await page.waitForSelector('[data-need="q1"]')
    for (const [index, sender] of [address, '~alice/cc@s2'].entries()) {
      const atMs = Date.now()
      open.seat.say('passed', advisory(sender, [HOSTILE], { text: HOSTILE, atMs }), `e1-${index + 1}`)
    }
    await page.waitForSelector('.collisions li')
    const looked = [await look()]
    await page.click('.here-line')
    await page.waitForSelector('dialog')
    looked.push(await look())
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog', { state: 'detached' })
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.click('.row')
    await page.waitForSelector('.json')
    looked.push(await look())
    await page.keyboard.press('g')
    await page.keyboard.press('t')
    await page.click('.lines button')
    await page.waitForSelector('.tree li')
    looked.push(await look())
    await page.getByRole('button', { name: 'Sequence' }).click()
    looked.push(await look())
    for (const { raw, foreign, fakes } of looked)
      expect({ raw, foreign, fakes }).toEqual({ raw: 0, foreign: 0, fakes: 0 })
    expect(looked[0]?.text).toContain('<img src=x onerror=alert(1)>')
    expect(looked[0]?.text).toContain('U+202E')
    const { origin } = new URL(page.url())
    expect(open.requests.filter((url) => !url.startsWith(`${origin}/`))).toEqual([])
    expect(open.errors).toEqual([])
    await open.close()

    function look() {
      return page.evaluate((classes) => {
        const root = document.querySelector('#seat') ?? document.body
        const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
        let [text, raw] = ['', 0]
        while (walker.nextNode() !== null) {
          const data = walker.currentNode.textContent ?? ''
          raw += [...data.matchAll(new RegExp(classes, 'gu'))].length
          text += data
        }
        const foreign = document.querySelectorAll('img, a, b, iframe, script:not([src="page.js"])').length
        return { text, raw, foreign, fakes: document.querySelectorAll('[data-need="fake"]').length }
      }, CLASSES)
    }
  })

  test('the whole page is four requests, and the key is gone from the address before the first of its own (SEAT-15, SEAT-33)', async () => {
    const open = await openPage(browser)
    await open.page.getByText('Nothing needs you.').waitFor()
    const { origin } = new URL(open.page.url())
    const paths = open.requests.map((url) => url.slice(origin.length).replace(/#.*/, ''))

    expect(paths.toSorted().slice(0, 4)).toEqual(['/', '/icon.svg', '/login', '/page.css'])
    expect(paths.filter((path) => /^\/(?:$|page|icon)/.test(path))).toHaveLength(4)
    expect(open.page.url()).toBe(`${origin}/`)
    expect(open.errors).toEqual([])
    await open.close()
  })

  test('a line over 2 000 characters folds, and opens with a click (SEAT-28)', async () => {
    const open = await openPage(browser, (seat) => {
      seat.snapshot = snapshot({ needs: [need('q1', { text: 'x'.repeat(2_041) })] })
    })
    const block = open.page.locator('[data-need="q1"] .sender-block')

    await block.getByRole('button', { name: 'Show all of it (41 more characters)' }).click()

    expect((await block.innerText()).trim()).toHaveLength(2_041)
    await open.close()
  })
})
