import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Browser, Page } from 'playwright-core'
import { playBusyMorning, prepareBusyMorning } from '../ui/support/scene.ts'
import { findChromium } from '../support/needs.ts'
import { findViolations, launch, openPage } from './support/browser.ts'

const chromium = findChromium()

/** Every screen and panel, and the states a person can bring them into. */
const STATES: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  now: async (page) => void (await page.waitForSelector('[data-need]')),
  answering: async (page) => {
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 600)))
    await page.click('[data-need="q1"] [data-action="answer"]')
    await page.click('[data-need="d1"] [data-action="option-2"]')
    await page.click('[data-need="a1"] [data-action="approve"]')
    await page.click('summary')
  },
  session: async (page) => {
    await page.click('.here-line')
    await page.waitForSelector('dialog')
  },
  compose: async (page) => {
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog', { state: 'detached' })
    await page.click('header.bar >> text=Send')
    await page.waitForSelector('dialog')
  },
  help: async (page) => {
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog', { state: 'detached' })
    await page.click('header.bar >> text=?')
    await page.waitForSelector('dialog')
  },
  passing: async (page) => {
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog', { state: 'detached' })
    await page.click('nav >> text=Passing')
    await page.click('.row')
    await page.waitForSelector('.json')
  },
  forgetting: async (page) => {
    await page.locator('.detail .file').click()
    await page.waitForSelector('.detail a')
    await page.getByRole('button', { name: 'Forget…' }).click()
    await page.getByRole('button', { name: 'every advisory' }).click()
    await page.waitForSelector('.confirm')
  },
  'nothing fits': async (page) => {
    await page.fill('[data-action="filter"]', 'nothing has this')
    await page.getByText('Nothing that has passed fits the filter.').waitFor()
  },
}

describe.runIf(chromium !== undefined)('the page for everybody', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(chromium)
  })
  afterAll(() => browser.close())

  test.for([
    ['light', 1280],
    ['dark', 1280],
    ['light', 320],
    ['dark', 320],
  ] as const)(
    '%s at %i pixels: axe finds nothing on any screen, and nothing scrolls sideways (SEAT-32)',
    { timeout: 60_000 },
    async ([colorScheme, width]) => {
      const open = await openPage(
        browser,
        (seat) => {
          prepareBusyMorning(seat, Date.now())
          seat.facts = { editor: true }
          seat.answers = () => ({
            status: 200,
            body: {
              sender: '~alice/cc@s1',
              frame: { kind: 'agent_advisory', payload: { file_refs: ['src/a/long/path/to/a/file.ts'] } },
              would_forget: 3,
              href: 'vscode://file/r/src/a/long/path/to/a/file.ts',
            },
          })
        },
        { colorScheme, viewport: { width, height: 800 } },
      )
      await open.page.waitForSelector('[data-need]')
      playBusyMorning(open.seat, Date.now())
      await open.page.waitForSelector('.collisions li')
      for (const [state, reach] of Object.entries(STATES)) {
        await reach(open.page)
        expect(await findViolations(open.page), state).toEqual([])
        const [wide, room] = await open.page.evaluate(() => [
          document.documentElement.scrollWidth,
          innerWidth,
        ])
        expect(wide, state).toBeLessThanOrEqual(room ?? 0)
      }
      expect(open.errors).toEqual([])
      await open.close()
    },
  )

  test('nothing moves, whatever happens: no animation runs where less motion is wished for (SEAT-32)', async () => {
    const open = await openPage(browser, (seat) => prepareBusyMorning(seat, Date.now()), {
      reducedMotion: 'reduce',
    })
    await open.page.waitForSelector('[data-need]')
    await open.page.hover('[data-need="q1"] button')

    expect(await open.page.evaluate(() => document.getAnimations().length)).toBe(0)
    await open.close()
  })

  test('what opens is read out once, with who asks, and what passes never is (SEAT-32)', async () => {
    const open = await openPage(browser, (seat) => {
      prepareBusyMorning(seat, Date.now())
    })
    await open.page.waitForSelector('[data-need]')
    const { needs } = JSON.parse(JSON.stringify(open.seat.snapshot))
    playBusyMorning(open.seat, Date.now())
    open.seat.say('need', { change: 'opened', need: { ...needs[0], need_id: 'd2' } })
    const region = open.page.getByRole('status')
    await region.filter({ hasText: 'Decision from api-refactor' }).waitFor({ state: 'attached' })

    expect(await region.textContent()).toBe('Decision from api-refactor')
    await open.close()
  })

  test.for(['Send', 'Keys'])(
    'a panel that is opened by "%s" before the browser has told that the last one is closed is there, and stays (SEAT-31)',
    async (name) => {
      const open = await openPage(browser)
      const opener = open.page.locator('header.bar').getByRole('button', { name })
      await opener.click()
      await open.page.getByRole('dialog').waitFor()
      await opener.evaluate((button) => {
        const { document: page } = globalThis
        page.querySelector('dialog')?.close()
        if (button instanceof HTMLElement) button.click()
        // The browser tells of what was closed with the next frame.
        return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      })

      expect(await open.page.getByRole('dialog').count()).toBe(1)
      await open.page.keyboard.press('Escape')
      await open.page.waitForSelector('dialog', { state: 'detached' })
      await open.close()
    },
  )

  test('single keys can be switched off, and then do nothing (SEAT-31)', async () => {
    const open = await openPage(browser)
    await open.page.getByText('Nothing needs you.').waitFor()
    await open.page.keyboard.press('?')
    await open.page.getByLabel('single keys').uncheck()
    await open.page.keyboard.press('Escape')
    await open.page.waitForSelector('dialog', { state: 'detached' })
    await open.page.keyboard.press('s')

    expect(await open.page.locator('dialog').count()).toBe(0)
    await open.page.reload()
    await open.page.getByText('Nothing needs you.').waitFor()
    await open.page.keyboard.press('s')
    expect(await open.page.locator('dialog').count()).toBe(0)
    await open.close()
  })

  test('what the configuration says of single keys holds from the start, until the switch of the tab (SEAT-31)', async () => {
    const open = await openPage(browser, (seat) => {
      seat.facts = { single_keys: false }
    })
    const { page } = open
    await page.getByText('Nothing needs you.').waitFor()
    await page.keyboard.press('?')
    expect(await page.locator('dialog').count()).toBe(0)
    await page.getByRole('button', { name: 'Keys' }).click()
    expect(await page.getByLabel('single keys').isChecked()).toBe(false)
    await page.getByLabel('single keys').check()
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog', { state: 'detached' })
    await page.keyboard.press('s')

    await page.getByRole('dialog').waitFor()
    await open.close()
  })
})
