/** The end of the process behind a page that is open (SEAT-18). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Browser } from 'playwright-core'
import { startAgentd, words } from '../cli/support.ts'
import { startTestDaemon } from '../support/daemon.ts'
import { findChromium } from '../support/needs.ts'
import { launch } from './support/browser.ts'

const chromium = findChromium()

describe.runIf(chromium !== undefined)('the end of the process', { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(chromium)
  })
  afterAll(() => browser.close())

  test('with a page open it ends when it is told to: nobody looks out for the person behind it (SEAT-18, SEAT-43)', async () => {
    await using daemon = await startTestDaemon()
    await using serving = startAgentd(daemon.env, words('ui --foreground --no-open'))
    const [url = ''] = await serving.untilSaid(/http:\S+/)
    const page = await browser.newPage()
    await page.goto(url)
    await page.waitForSelector('.link.live')
    serving.signal('SIGTERM')

    expect((await serving.ended).code).toBe(0)
    await page.close()
  })
})
