import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { STREAM_DEAD_MS } from '../../src/core/limits.ts'
import { agentd, createUser, startAgentd, words } from '../cli/support.ts'
import { findChromium } from '../support/needs.ts'
import { launch } from './support/browser.ts'
import { agent, heard, sit } from './support/sitting.ts'

const chromium = findChromium()

const TO_THE_PERSON = '~alice/human*'

/** The processes that draw pages. */
async function renderersOf(browser: Browser): Promise<readonly number[]> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  return processInfo.flatMap(({ type, id }) => (type === 'renderer' ? [id] : []))
}

const rowsOf = async (page: Page, text: string): Promise<number> =>
  page.locator('.row', { hasText: text }).count()

describe.runIf(chromium !== undefined)(
  'what sleeps, stops or is killed around a page',
  { timeout: 60_000 },
  () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await launch(chromium)
    })
    afterAll(() => browser.close())

    test('a daemon that stands still for a minute is told of, and goes on where it was (SEAT-19)', async () => {
      await using sitting = await sit(browser)
      const { page, client, seat } = sitting
      const session = await agent(client, 's1')
      await session.advise('before it stood still')
      await page.click('nav >> text=Passing')
      await page.locator('.row', { hasText: 'before it stood still' }).waitFor()
      await page.clock.install()
      // What the page waits with began before its clock was taken: another event begins it anew.
      await session.advise('the last before')
      await page.locator('.row', { hasText: 'the last before' }).waitFor()
      process.kill(seat.daemon.pid, 'SIGSTOP')
      try {
        await page.clock.fastForward(STREAM_DEAD_MS + 15_000)
        await page.locator('.banner').waitFor()
        expect(await rowsOf(page, 'the last before')).toBe(1)
      } finally {
        process.kill(seat.daemon.pid, 'SIGCONT')
      }
      await page.clock.resume()
      await page.waitForSelector('.link.live')
      await session.advise('after it')
      await page.locator('.row', { hasText: 'after it' }).waitFor()

      expect([await rowsOf(page, 'before it stood still'), await rowsOf(page, 'the last before')]).toEqual([
        1, 1,
      ])
      expect(await page.locator('.row.gap').count()).toBe(0)
    })

    test('what is sent to a daemon that stands still arrives once it goes on, and once alone (SEAT-19)', async () => {
      await using sitting = await sit(browser)
      const { page, client, seat } = sitting
      const session = await agent(client, 's1')
      const asked = session.ask('May I push?', { scope: TO_THE_PERSON, timeoutMs: 30_000 })
      await page.waitForSelector('[data-type=question]')
      await heard(page)
      for (const key of ['j', 'a']) await page.keyboard.press(key)
      await page.keyboard.type('Yes, once')
      process.kill(seat.daemon.pid, 'SIGSTOP')
      const sent = page.waitForRequest((request) => request.url().endsWith('/v1/verbs/agent_respond'))
      await page.keyboard.press('Control+Enter')
      await sent
      process.kill(seat.daemon.pid, 'SIGCONT')

      expect(await asked).toMatchObject({ outcome: 'answered', responses: [{ text: 'Yes, once' }] })
      await page.locator('.card .outcome', { hasText: 'Sent to 1 session.' }).waitFor()
      expect((await client.history({ filter: 'kind:agent_response' })).items).toHaveLength(1)
    })

    test('a page that slept has everything that passed meanwhile, each once (SEAT-19)', async () => {
      await using sitting = await sit(browser)
      const { page, client } = sitting
      const session = await agent(client, 's1')
      await page.click('nav >> text=Passing')
      const renderers = await renderersOf(browser)
      for (const pid of renderers) process.kill(pid, 'SIGSTOP')
      for (let at = 0; at < 20; at += 1) await session.advise(`while it slept, ${at}.`)
      for (const pid of renderers) process.kill(pid, 'SIGCONT')
      await page.locator('.row', { hasText: 'while it slept, 19.' }).waitFor()

      expect(renderers.length).toBeGreaterThan(0)
      expect(await rowsOf(page, 'while it slept')).toBe(20)
      expect(await page.locator('.row.gap, .banner').count()).toBe(0)
    })

    test('a killed process is told of with the command that starts another, whose link opens the seat again (SEAT-19)', async () => {
      await using user = await createUser()
      await using process = startAgentd(user.env, words('ui --foreground --no-open'))
      const [link = ''] = await process.untilSaid(/http:\S+/)
      const page = await browser.newPage()
      await page.goto(link)
      await page.waitForSelector('.link.live')
      process.signal('SIGKILL')
      await page.getByText('The process of this page has ended').waitFor()

      expect(await page.innerText('.banner')).toContain('agentd ui')
      const { stdout } = await agentd(user.env, words('ui --no-open'))
      await page.goto(stdout.trim())
      await page.waitForSelector('.link.live')
      await page.close()
      await agentd(user.env, words('ui --stop'))
    })
  },
)
