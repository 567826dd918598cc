/** The page for everybody, in the states that a morning without trouble does not have (SEAT-26, SEAT-32). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Browser, Page } from 'playwright-core'
import { advisory, decisionFrame, iso, need, session, snapshot } from '../ui/support/wire.ts'
import type { FakeSeat } from '../ui/support/fake-seat.ts'
import { findChromium } from '../support/needs.ts'
import { findViolations, launch, openPage, type OpenPage } from './support/browser.ts'

const chromium = findChromium()

const refuse = (code: string, status: number) => (seat: FakeSeat) => {
  seat.refusal = { status, body: { code, message: `It is ${code}.` } }
}

/** Cards of every kind that a busy morning has not, and what becomes of some. */
const CARDS = snapshot({
  sessions: [session('~alice/cc@s1')],
  needs: [
    need('late', { state: 'late', text: 'x'.repeat(2_041) }),
    need('blocked', { type: 'diagnostic', text: 'The build hangs.\u202e' }),
    need('task', { type: 'task', text: 'Open the door' }),
    need('prompt', { type: 'prompt', text: 'run "npm test"' }),
    need('decided', { type: 'decision', frame: decisionFrame() }),
    need('closing', { text: 'May I?', until: iso(Date.now() + 60_000) }),
  ],
})

/** Long enough that a card hears. */
const heard = ({ page }: OpenPage): Promise<unknown> =>
  page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 600)))

/** Name → what the seat says before the page comes, and how the state is reached from there. */
const STATES: Readonly<
  Record<string, { prepare?: (seat: FakeSeat) => void; reach: (open: OpenPage) => Promise<unknown> }>
> = {
  'nobody here': { reach: ({ page }) => page.getByText('Nobody is here yet').waitFor() },
  'nothing has passed': {
    async reach({ page }) {
      await page.getByText('Nobody is here yet').waitFor()
      await page.click('nav >> text=Passing')
      await page.getByText('Nothing has passed yet.').waitFor()
    },
  },
  'signed out': {
    prepare: refuse('signed-out', 401),
    reach: ({ page }) => page.waitForSelector('[role=alert]'),
  },
  'four tabs': {
    prepare: refuse('too-many-pages', 429),
    reach: ({ page }) => page.getByRole('button', { name: 'Use it here' }).waitFor(),
  },
  'no daemon, and no word of the kernel': {
    prepare(seat) {
      refuse('daemon-gone', 503)(seat)
      seat.facts = { peer_check: 'unavailable' }
    },
    reach: ({ page }) => page.waitForSelector('footer'),
  },
  'cards of every kind': {
    prepare: (seat) => (seat.snapshot = CARDS),
    async reach(open) {
      await open.page.waitForSelector('[data-need="closing"]')
      await heard(open)
      open.seat.answers = () => ({ status: 429, body: { code: 'rate-limited', message: 'Wait a second.' } })
      await open.page.click('[data-need="task"] [data-action="answer"]')
      await open.page.keyboard.type('Yes')
      await open.page.keyboard.press('Control+Enter')
      await open.page.locator('.outcome.failed').waitFor()
      await open.page.click('[data-need="decided"] [data-action="other"]')
    },
  },
  'an answer, and what came of it': {
    prepare: (seat) => (seat.snapshot = CARDS),
    async reach(open) {
      await open.page.waitForSelector('[data-need="closing"]')
      await heard(open)
      await open.page.click('[data-need="closing"] [data-action="answer"]')
      await open.page.keyboard.type('Yes')
      await open.page.keyboard.press('Control+Enter')
      await open.page.locator('[data-need="closing"] .outcome').waitFor()
      open.seat.say('receipt', {
        event_id: 'e1-900',
        address: '~alice/cc@s1',
        state: 'seen',
        at: iso(Date.now()),
      })
      await open.page.getByText('Seen by 1 of 1.').waitFor()
    },
  },
  'a gap, a pause, and an item to be forgotten': {
    async reach(open) {
      await open.page.click('nav >> text=Passing')
      open.seat.answers = () => ({
        status: 200,
        body: { sender: '~alice/cc@s1', frame: {}, receipts: [{ address: '~alice/cc@s1', state: 'seen' }] },
      })
      open.seat.say('passed', advisory('~alice/cc@s1', ['a']), 'e1-1')
      open.seat.say('gap', { reason: 'trimmed', missed: 23 })
      await open.page.locator('.row.gap').waitFor()
      await open.page.click('text=Pause')
      open.seat.say('passed', advisory('~alice/cc@s1', ['b']), 'e1-2')
      await open.page.getByRole('button', { name: '1 new' }).waitFor()
      await open.page.locator('.row').first().click()
      await open.page.click('text=Forget…')
      open.seat.answers = () => ({ status: 200, body: { would_forget: 1, up_to: 'e1-2' } })
      await open.page.click('text=this item')
      await open.page.locator('.confirm').waitFor()
    },
  },
}

const sideways = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - innerWidth)

describe.runIf(chromium !== undefined)('the page for everybody, when something is the matter', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(chromium)
  })
  afterAll(() => browser.close())

  test.for(Object.keys(STATES))(
    '%s: axe finds nothing at any width in either scheme, nothing moves, and nothing scrolls sideways (SEAT-32)',
    { timeout: 60_000 },
    async (name) => {
      const { prepare, reach } = STATES[name] ?? { reach: () => Promise.resolve() }
      const open = await openPage(browser, prepare, { reducedMotion: 'reduce' })
      await reach(open)
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const width of [1_280, 320]) {
          await open.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
          await open.page.setViewportSize({ width, height: 800 })

          expect(await findViolations(open.page), `${colorScheme} ${width}`).toEqual([])
          expect(await sideways(open.page), `${width}`).toBeLessThanOrEqual(0)
          expect(await open.page.evaluate(() => document.getAnimations().length)).toBe(0)
        }
      }
      // Twice as large: half as many pixels of the page's own across the same screen.
      await open.page.setViewportSize({ width: 640, height: 400 })
      expect(await sideways(open.page)).toBeLessThanOrEqual(0)
      await open.close()
    },
  )

  test('where the system forces its colours the chosen row has a frame that nothing cuts off (SEAT-32)', async () => {
    const open = await openPage(browser, undefined, { forcedColors: 'active' })
    await open.page.click('nav >> text=Passing')
    for (const at of [1, 2, 3]) open.seat.say('passed', advisory('~alice/cc@s1', ['a']), `e1-${at}`)
    await open.page.locator('.row').first().click()

    const { offset, width } = await open.page.locator('.row[aria-selected=true]').evaluate((row) => {
      const { outlineOffset, outlineWidth } = getComputedStyle(row)
      return { offset: Number.parseFloat(outlineOffset), width: Number.parseFloat(outlineWidth) }
    })
    expect(width).toBeGreaterThan(0)
    expect(-offset).toBeGreaterThanOrEqual(width)
    await open.close()
  })
})
