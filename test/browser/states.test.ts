/** Every state in which the page has nothing to show, or is not what it was: a sentence, and what changes it (SEAT-26). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Browser, Page } from 'playwright-core'
import { findChromium } from '../support/needs.ts'
import { findViolations, launch, openPage, tokenOf } from './support/browser.ts'
import { openLink, sit } from './support/sitting.ts'

const chromium = findChromium()

/** Waits until the page says it, and the command beside it. */
async function says(page: Page, sentence: string, command?: string): Promise<void> {
  const note = page.locator('.note', { hasText: sentence })
  await note.waitFor()
  if (command !== undefined) expect(await note.locator('code').allInnerTexts()).toEqual([command])
}

describe.runIf(chromium !== undefined)('the states of the page', { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(chromium)
  })
  afterAll(() => browser.close())

  test('on a first run every empty screen says so, nobody is called missing, and nothing is an error (SEAT-26)', async () => {
    await using sitting = await sit(browser)
    const { page, errors } = sitting
    await says(page, 'Nobody is here yet. Set up your agents and start one.', 'agentd setup')
    await says(page, 'Nothing needs you.')
    await says(page, 'No file has two sessions at it.')
    expect(await page.innerText('header.bar')).toContain('0 here · ● live')
    expect(await findViolations(page)).toEqual([])
    await page.click('nav >> text=Passing')
    await says(page, 'Nothing has passed yet.')

    expect(await findViolations(page)).toEqual([])
    expect(await page.locator('.banner').count()).toBe(0)
    expect(errors).toEqual([])
  })

  test('a daemon that is gone is said, with the command that starts it (SEAT-19, SEAT-26)', async () => {
    await using sitting = await sit(browser)
    const { page, seat } = sitting
    await seat.daemon.stop('SIGKILL')

    await says(page, 'The daemon is gone; this is how it was.', 'agentd start')
    expect(await page.innerText('.link')).toContain('not connected')
    expect(await findViolations(page)).toEqual([])
  })

  test('a page that was signed out says so at once, and knows no token any more (SEAT-16, SEAT-26)', async () => {
    await using sitting = await sit(browser)
    const { page, seat } = sitting
    const token = await tokenOf(page)
    await seat.ask('/logout', { token, json: {} })

    await says(page, 'This page is signed out. Open a new one:', 'agentd ui')
    expect(await page.evaluate(() => [self.name, sessionStorage.getItem('agentd')])).toEqual(['', null])
  })

  test('a process that has ended is said, with the command that starts it (SEAT-18, SEAT-26)', async () => {
    await using sitting = await sit(browser)
    const { page, seat } = sitting
    await seat.process.stop()

    await says(page, 'The process of this page has ended. Start it:', 'agentd ui')
  })

  test('a fifth tab may be used here, and the first one then says where it went (SEAT-26)', async () => {
    await using sitting = await sit(browser)
    const { page, seat } = sitting
    for (let i = 1; i < 4; i += 1) await openLink(await page.context().newPage(), seat)
    const fifth = await page.context().newPage()
    await fifth.goto(seat.process.link().url)
    const sentence = 'The seat may be open in four tabs, and is.'
    await says(fifth, sentence)
    expect(await page.locator('.banner').count()).toBe(0)
    await fifth.getByRole('button', { name: 'Use it here' }).click()
    await fifth.waitForSelector('.link.live')
    await says(page, sentence)
    await page.getByRole('button', { name: 'Use it here' }).click()
    await page.waitForSelector('.link.live')

    expect(await fifth.locator('.link.live').count()).toBe(1)
  })

  test('an update while the page is open is said, and a reload ends it (SEAT-26)', async () => {
    const open = await openPage(browser)
    await open.page.waitForSelector('.link.live')
    open.seat.version = '0.2.0'
    open.seat.cut()
    await says(open.page, 'agentd was updated under this page.')
    expect(await findViolations(open.page)).toEqual([])
    await open.page.getByRole('button', { name: 'Reload' }).click()
    await open.page.waitForSelector('.banner', { state: 'detached' })
    await open.page.waitForSelector('.link.live')

    expect(open.seat.askedFor('/login')).toHaveLength(1)
    expect(open.errors).toEqual([])
    await open.close()
  })

  test('without JavaScript the page is one sentence with the command that is the same (SEAT-26)', async () => {
    await using sitting = await sit(browser)
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(sitting.seat.process.link().url)

    expect((await page.innerText('body')).trim()).toBe(
      'This page needs JavaScript. In a terminal the same is agentd top.',
    )
    await context.close()
  })
})
