/** What is read out to somebody who does not see the page (SEAT-32). */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Browser, Page } from 'playwright-core'
import { advisory, need, session, snapshot } from '../ui/support/wire.ts'
import { findChromium } from '../support/needs.ts'
import { launch, openPage, type OpenPage } from './support/browser.ts'

const chromium = findChromium()

/** Between two lines, in milliseconds. */
const QUIET_MS = 3_000

/** What a reader is told: each change of the region, with when it was. */
type Log = readonly { readonly line: string; readonly atMs: number }[]

async function listen(page: Page): Promise<() => Promise<Log>> {
  await page.evaluate(() => {
    const log: { line: string; atMs: number }[] = []
    const region = document.querySelector('[role=status]')
    let before = ''
    const note = (records: readonly MutationRecord[]): void => {
      const line = region?.textContent ?? ''
      // Text that is put in place of the same text is no change to a reader; another element with it is.
      const isOther = records.some(({ addedNodes }) =>
        [...addedNodes].some((node) => node instanceof Element),
      )
      if (line !== '' && (line !== before || isOther)) log.push({ line, atMs: performance.now() })
      before = line
    }
    if (region !== null)
      new MutationObserver(note).observe(region, { childList: true, characterData: true, subtree: true })
    Object.assign(globalThis, { log })
  })
  return () => page.evaluate('globalThis.log')
}

const linesOf = (log: Log): readonly string[] => log.map(({ line }) => line)

async function openQuiet(browser: Browser): Promise<OpenPage> {
  const open = await openPage(browser, (seat) => {
    seat.snapshot = snapshot({ sessions: [session('~alice/cc@s1')], needs: [need('there')] })
  })
  await open.page.waitForSelector('[data-need="there"]')
  return open
}

const opens = ({ seat }: OpenPage, id: string, more: object = {}): void =>
  seat.say('need', { change: 'opened', need: need(id, { ...more }) })

describe.runIf(chromium !== undefined)('what is read out', { timeout: 30_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(chromium)
  })
  afterAll(() => browser.close())

  test('what opens and what came of an answer, one line in three seconds and the rest counted; what passes never is (SEAT-32)', async () => {
    const open = await openQuiet(browser)
    const log = await listen(open.page)
    opens(open, 'q1')
    await open.page.waitForSelector('[data-need="q1"]')
    opens(open, 'd1', { type: 'diagnostic' })
    for (let i = 1; i < 50; i += 1)
      open.seat.say('passed', advisory('~alice/cc@s1', [`file-${i}`]), `e1-${i}`)
    opens(open, 'q2')
    await open.page.waitForSelector('[data-need="q2"]')
    await open.page.click('nav >> text=Passing')
    await open.page.locator('.row', { hasText: 'file-49' }).waitFor()
    await vi.waitFor(async () => expect(await log()).toHaveLength(2), 10_000)
    await open.page.click('nav >> text=Now')
    await open.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 600)))
    await open.page.click('[data-need="there"] [data-action=answer]')
    await open.page.keyboard.type('Yes')
    await open.page.keyboard.press('Control+Enter')
    await vi.waitFor(async () => expect(await log()).toHaveLength(3), 10_000)

    const told = await log()
    expect(linesOf(told)).toEqual([
      'Question from cc@s1',
      'Diagnostic from cc@s1, and 1 more',
      'Sent to 1 session.',
    ])
    const gaps = told.slice(1).map(({ atMs }, at) => atMs - (told[at]?.atMs ?? 0))
    expect(gaps.filter((gap) => gap < QUIET_MS - 20)).toEqual([])
    expect(await open.page.getByRole('status').count()).toBe(1)
    await open.close()
  })

  test('an open panel has the one live region in it, and tells whom it reaches without another one (SEAT-32)', async () => {
    const open = await openQuiet(browser)
    const { page } = open
    await page.keyboard.press('s')
    const panel = page.getByRole('dialog')
    await panel.getByLabel('To', { exact: true }).fill('cc@s1')
    await panel.getByText('reaches 1 session').waitFor()
    expect(await page.locator('[role=status], [aria-live]').count()).toBe(1)
    const described = await panel.getByLabel('To', { exact: true }).getAttribute('aria-describedby')
    expect(await panel.locator(`#${described}`).innerText()).toBe('reaches 1 session')
    const log = await listen(page)
    await panel.getByLabel('What they are to know').fill('The build is red')
    await page.keyboard.press('Control+Enter')
    await vi.waitFor(async () => expect(linesOf(await log())).toEqual(['Sent to 1 session.']), 10_000)
    expect(await panel.getByRole('status').count()).toBe(1)
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })

    expect(await page.locator('[role=status], [aria-live]').count()).toBe(1)
    await open.close()
  })

  test('the same line twice is read out twice (SEAT-32)', async () => {
    const open = await openQuiet(browser)
    const log = await listen(open.page)
    opens(open, 'q1')
    await vi.waitFor(async () => expect(await log()).toHaveLength(1), 10_000)
    opens(open, 'q2')
    await vi.waitFor(async () => expect(await log()).toHaveLength(2), 10_000)

    expect(linesOf(await log())).toEqual(['Question from cc@s1', 'Question from cc@s1'])
    await open.close()
  })
})
