/** Leaving the page for good, by pointer and by keyboard, and how others know of it (SEAT-16, SEAT-31). */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Browser, Page } from 'playwright-core'
import { findChromium } from '../support/needs.ts'
import { launch, tokenOf } from './support/browser.ts'
import { tabTo } from './support/hands.ts'
import { agent, sit } from './support/sitting.ts'

const chromium = findChromium()

/** What the tab keeps for a reload. */
const keptBy = (page: Page): Promise<unknown> => page.evaluate(() => Object.entries(sessionStorage))

describe.runIf(chromium !== undefined)('signing out', { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(chromium)
  })
  afterAll(() => browser.close())

  test.for(['pointer', 'keyboard'] as const)(
    'by %s it ends the token, the page says so and shows nothing any more (SEAT-16, SEAT-31)',
    async (by) => {
      await using sitting = await sit(browser)
      const { page, seat, client, errors } = sitting
      await (await agent(client, 's1')).advise('not for everybody')
      await page.locator('.here-line').waitFor()
      const token = await tokenOf(page)
      expect((await seat.ask('/v1/health', { token })).status).toBe(200)
      const button = page.getByRole('button', { name: 'Sign out' })
      if (by === 'pointer') await button.click()
      else {
        await tabTo(page, button)
        await page.keyboard.press('Enter')
      }
      await page.getByText('This page is signed out. Open a new one:').waitFor()
      await page.locator('.here-line').waitFor({ state: 'detached' })
      await button.waitFor({ state: 'detached' })

      await page.locator('.banner', { hasText: 'agentd ui' }).waitFor()
      expect((await seat.ask('/v1/health', { token })).status).toBe(401)
      expect(await keptBy(page)).toEqual([])
      await vi.waitFor(
        async () => expect(JSON.stringify(await client.roster())).not.toContain('human'),
        15_000,
      )
      expect(errors).toEqual([])
    },
  )

  test('another tab, which has a token of its own, stays (SEAT-16)', async () => {
    await using sitting = await sit(browser)
    const { page, seat } = sitting
    const other = await page.context().newPage()
    await other.goto(seat.process.link().url)
    await other.waitForSelector('.link.live')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('This page is signed out.').waitFor()

    expect((await seat.ask('/v1/health', { token: await tokenOf(other) })).status).toBe(200)
    expect(await other.locator('.link').innerText()).toContain('live')
  })

  test('where the process is gone the token is put away all the same, and nothing says it was ended (SEAT-16)', async () => {
    await using sitting = await sit(browser)
    const { page, seat } = sitting
    await seat.process.stop()
    await page.getByText('The process of this page has ended.').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()

    await vi.waitFor(async () => expect(await keptBy(page)).toEqual([]), 10_000)
  })
})
