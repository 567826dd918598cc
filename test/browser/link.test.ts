import { createServer } from 'node:http'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Browser } from 'playwright-core'
import { FakeSeat } from '../ui/support/fake-seat.ts'
import { advisory, session, snapshot } from '../ui/support/wire.ts'
import { findChromium } from '../support/needs.ts'
import { launch, openPage, tokenOf } from './support/browser.ts'

const chromium = findChromium()

const refused = (code: string, status: number) => ({ status, body: { code, message: `It is ${code}.` } })

describe.runIf(chromium !== undefined)('the page and the process behind it', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(chromium)
  })
  afterAll(() => browser.close())

  test('a daemon that goes is told of, what was shown stays, and the watch goes on where it was (SEAT-19)', async () => {
    const open = await openPage(browser, (seat) => {
      seat.snapshot = snapshot({ sessions: [session('~alice/cc@s1')] })
    })
    await open.page.getByText('cc@s1').first().waitFor()
    open.seat.say('passed', advisory('~alice/cc@s1', ['a']), 'e1-7')
    await vi.waitFor(async () => expect(await open.page.innerText('.here')).toContain('editing a'))
    open.seat.refusal = refused('daemon-gone', 503)
    open.seat.cut()
    await open.page.getByText('The daemon is gone').waitFor()

    expect(await open.page.innerText('.here')).toContain('editing a')
    expect(await open.page.innerText('.banner')).toContain('agentd start')
    open.seat.refusal = undefined
    await open.page.waitForSelector('.link.live')
    expect(open.seat.askedFor('/v1/watch').at(-1)?.headers['last-event-id']).toBe('e1-7')
    expect(await open.page.locator('.banner').count()).toBe(0)
    await open.close()
  })

  test('after a break the process has to show that it is itself before it gets the token again (SEAT-16)', async () => {
    const open = await openPage(browser)
    await open.page.waitForSelector('.link.live')
    open.seat.cut()
    await vi.waitFor(() => expect(open.seat.askedFor('/v1/watch')).toHaveLength(2), 5_000)

    const paths = open.seat.asked.map(({ path }) => path.split('?')[0])
    expect(paths.slice(paths.indexOf('/hello'))).toEqual(['/hello', '/v1/watch'])
    expect(open.seat.askedFor('/hello')[0]?.headers.authorization).toBeUndefined()
    await open.close()
  })

  test('a stranger who took the port learns neither the token nor what was typed (SEAT-16)', async () => {
    const open = await openPage(browser)
    await open.page.waitForSelector('.link.live')
    const { port } = open.seat
    await open.seat.stop()
    const heard: string[] = []
    const stranger = createServer((request, response) => {
      heard.push(`${request.url} ${request.headers.authorization ?? ''}`)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ proofs: ['not-mine'] }))
    })
    stranger.listen(port, '127.0.0.1')
    await once(stranger, 'listening')
    await open.page.getByText('This page is signed out').waitFor()

    expect(heard.length).toBeGreaterThan(0)
    expect(heard.filter((line) => !/^\/hello\?nonce=[\w-]+ $/.test(line))).toEqual([])
    await open.page.close()
    stranger.closeAllConnections()
    stranger.close()
  })

  test.for([
    ['signed-out', 401, 'This page is signed out', 'agentd ui'],
    ['daemon-gone', 503, 'The daemon is gone', 'agentd start'],
  ] as const)(
    'a watch refused with %s says what is the case and which command helps (SEAT-26)',
    async ([code, status, says, command]) => {
      const open = await openPage(browser, (seat) => {
        seat.refusal = refused(code, status)
      })
      await open.page.getByText(says).waitFor()

      expect(await open.page.innerText('.banner')).toContain(command)
      await open.close()
    },
  )

  test('a page too many waits for the person, and takes a place when told to (SEAT-26)', async () => {
    const open = await openPage(browser, (seat) => {
      seat.refusal = refused('too-many-pages', 429)
    })
    const here = open.page.getByRole('button', { name: 'Use it here' })
    await here.waitFor()
    expect(open.seat.askedFor('/v1/watch')).toHaveLength(1)
    open.seat.refusal = undefined
    await here.click()
    await open.page.waitForSelector('.link.live')

    expect(open.seat.askedFor('/v1/watch').at(-1)?.path).toContain('take=1')
    await open.close()
  })

  test('a page whose place was taken says so and does not take it back by itself (SEAT-26)', async () => {
    const open = await openPage(browser)
    await open.page.waitForSelector('.link.live')
    open.seat.say('seat', { what: 'taken' })
    open.seat.cut()
    await open.page.getByRole('button', { name: 'Use it here' }).waitFor()

    expect(open.seat.askedFor('/v1/watch')).toHaveLength(1)
    await open.close()
  })

  test('a link that was used says so (SEAT-15)', async () => {
    const seat = new FakeSeat()
    const link = await seat.start()
    const page = await browser.newPage()
    await page.goto(link.replace(/#.*/, '#another-key'))
    await page.getByText('This link has been used').waitFor()

    expect(seat.askedFor('/v1/watch')).toEqual([])
    await page.close()
    await seat.stop()
  })

  test('a reload stays signed in, and a new tab does not (SEAT-15)', async () => {
    const open = await openPage(browser)
    await open.page.waitForSelector('.link.live')
    await open.page.reload()
    await open.page.waitForSelector('.link.live')

    expect(open.seat.askedFor('/login')).toHaveLength(1)
    const other = await open.page.context().newPage()
    await other.goto(open.page.url())
    await other.getByText('This page is signed out').waitFor()
    await open.close()
  })

  test('a tab that has one part of its token alone is signed out, and says so (SEAT-16)', async () => {
    const open = await openPage(browser)
    await open.page.waitForSelector('.link.live')
    await open.page.evaluate(() => {
      self.name = ''
    })
    await open.page.reload()
    await open.page.getByText('This page is signed out').waitFor()

    expect(open.seat.askedFor('/v1/watch')).toHaveLength(1)
    expect(await tokenOf(open.page)).toBe('')
    await open.close()
  })

  test('without JavaScript the page names the command that is the same (SEAT-26)', async () => {
    const open = await openPage(browser, undefined, { javaScriptEnabled: false })

    expect(await open.page.innerText('body')).toContain('agentd top')
    await open.close()
  })
})
