import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Browser } from 'playwright-core'
import { decisionFrame, need, snapshot } from '../ui/support/wire.ts'
import { findChromium } from '../support/needs.ts'
import { launch, openPage } from './support/browser.ts'

const chromium = findChromium()

/** More than there are drafts that a page remembers. */
const CROWD = 150

describe.runIf(chromium !== undefined)('a page with more cards than anybody answers', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(chromium)
  })
  afterAll(() => browser.close())

  test.for([
    ['question', 'a'],
    ['decision', 'o'],
  ] as const)(
    'what is typed into the card of a %s stays while others come (SEAT-22, SEAT-23)',
    async ([type, key]) => {
      const card = (at: number): ReturnType<typeof need> =>
        need(`n${at}`, { type, ...(type === 'decision' && { frame: decisionFrame() }) })
      const open = await openPage(browser, (seat) => {
        seat.snapshot = snapshot({ needs: Array.from({ length: CROWD }, (_, at) => card(at)) })
      })
      const first = open.page.locator('[data-need="n0"]')
      await first.waitFor()
      await open.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 600)))
      await first.focus()
      await open.page.keyboard.press(key)
      await open.page.keyboard.type('Yes')
      for (let at = CROWD; at < CROWD + 3; at += 1) {
        open.seat.say('need', { change: 'opened', need: card(at) })
        await open.page.waitForSelector(`[data-need="n${at}"]`)
      }

      expect(await first.getByRole('textbox').inputValue()).toBe('Yes')
      await open.close()
    },
  )
})
