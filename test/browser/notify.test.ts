import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Browser, Page } from 'playwright-core'
import { KEY, type FakeSeat } from '../ui/support/fake-seat.ts'
import { iso, need, snapshot } from '../ui/support/wire.ts'
import { findChromium } from '../support/needs.ts'
import { launch, openPage, type OpenPage } from './support/browser.ts'
import { appear, askedBy, clickNotification, hide, recordNotifications, saidBy } from './support/desktop.ts'

const chromium = findChromium()

/** A need that has just come. */
const fresh = (id: string, more: Parameters<typeof need>[1] = {}) =>
  need(id, {
    asked_at: iso(Date.now()),
    from: { address: `~alice/${id}@s1`, present: true },
    text: `May ${id}?`,
    ...more,
  })

const ask = (seat: FakeSeat, id: string, more?: Parameters<typeof need>[1]): void =>
  seat.say('need', { change: 'opened', need: fresh(id, more) })

async function openNotifying(
  browser: Browser,
  {
    notify = 'auto',
    permission = 'granted',
  }: { readonly notify?: string; readonly permission?: 'granted' | 'default' } = {},
): Promise<OpenPage> {
  const open = await openPage(
    browser,
    (seat) => {
      seat.facts = { notify }
      seat.snapshot = snapshot({ needs: [need('old')] })
    },
    {},
    (page) => recordNotifications(page, permission),
  )
  await open.page.waitForSelector('[data-need="old"]')
  return open
}

const titles = async (open: Pick<OpenPage, 'page'>): Promise<readonly string[]> =>
  (await saidBy(open.page)).map(({ title }) => title)

const untilSaid = (open: Pick<OpenPage, 'page'>, wanted: readonly string[]): Promise<void> =>
  vi.waitFor(async () => expect(await titles(open)).toEqual(wanted), 20_000)

const untilTitle = (page: Page, title: string): Promise<void> =>
  vi.waitFor(async () => expect(await page.title()).toBe(title), 20_000)

describe.runIf(chromium !== undefined)('what the page tells a person who looks elsewhere', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(chromium)
  })
  afterAll(() => browser.close())

  test('the browser is asked whether it may by a button and by nothing else (SEAT-43)', async () => {
    const open = await openNotifying(browser, { permission: 'default' })
    const button = open.page.getByRole('button', { name: 'Notify me' })
    await hide(open.page)
    ask(open.seat, 'unheard')
    await untilTitle(open.page, '(2) agentd')
    await open.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1_500)))
    expect([await askedBy(open.page), await titles(open)]).toEqual([0, []])
    await appear(open.page)
    await button.click()
    await button.waitFor({ state: 'detached' })
    await hide(open.page)
    ask(open.seat, 'heard')
    await untilSaid(open, ['heard@s1 · question'])

    expect(await askedBy(open.page)).toBe(1)
    expect(open.errors).toEqual([])
    await open.close()
  })

  test('a hidden page tells of a question once, takes it back when it is answered, and has it in its title (SEAT-41, SEAT-42)', async () => {
    const open = await openNotifying(browser)
    await hide(open.page)
    open.seat.snapshot = snapshot({ needs: [need('old'), fresh('cc')] })
    open.seat.cut()
    await untilSaid(open, ['cc@s1 · question'])
    expect(await saidBy(open.page)).toMatchObject([{ body: 'May cc?', silent: false, isClosed: false }])
    await untilTitle(open.page, '(2) agentd')
    open.seat.snapshot = snapshot({ needs: [need('old')] })
    open.seat.cut()
    await vi.waitFor(async () => expect(await saidBy(open.page)).toMatchObject([{ isClosed: true }]), 20_000)

    await untilTitle(open.page, '(1) agentd')
    await open.close()
  })

  test('a click brings the card before the person, whatever screen they had left, and out of a list that is folded (SEAT-42)', async () => {
    const open = await openNotifying(browser)
    await open.page.click('nav >> text=Passing')
    await hide(open.page)
    ask(open.seat, 'other', { addressed: 'anyone', event_id: 'e1-9' })
    const passed = { sender: '~alice/cc@s1', scope: '~alice/*', accepted_at: iso(Date.now()) }
    const frame = { frame_id: 'f9', kind: 'agent_query', payload: { query_id: 'other', query_text: 'Who?' } }
    open.seat.say('passed', { ...passed, recipient_count: 0, queued_count: 0, frame }, 'e1-9')
    await untilSaid(open, ['other@s1 · question'])
    await appear(open.page)
    await clickNotification(open.page, 0)
    await open.page.waitForFunction(() => document.activeElement?.matches('[data-need="other"]'))

    expect(await open.page.locator('[data-need="other"]').isVisible()).toBe(true)
    expect(await saidBy(open.page)).toMatchObject([{ isClosed: true }])
    expect(open.errors).toEqual([])
    await open.close()
  })

  test('what the visible page shows is not told, neither by it nor by a hidden one beside it (SEAT-41)', async () => {
    const open = await openNotifying(browser)
    const hidden = await open.page.context().newPage()
    await recordNotifications(hidden, 'granted')
    await hidden.goto(`http://127.0.0.1:${open.seat.port}/#${KEY}`)
    await hidden.waitForSelector('[data-need="old"]')
    await hide(hidden)
    ask(open.seat, 'shown')
    await open.page.waitForSelector('[data-need="shown"]')
    // Where it is not shown, the page that is visible tells of it, and by then would have told of the first.
    await open.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1_500)))
    await open.page.click('nav >> text=Passing')
    ask(open.seat, 'unshown')
    await untilSaid(open, ['unshown@s1 · question'])
    expect(await saidBy(hidden)).toEqual([])
    open.seat.snapshot = snapshot({ needs: [] })
    open.seat.cut()
    await untilTitle(hidden, 'agentd')
    await open.page.close()
    ask(open.seat, 'alone')
    await untilSaid({ page: hidden }, ['alone@s1 · question'])

    await open.close()
  })

  test('two hundred questions a second are one notification, which becomes less as they are answered (SEAT-41)', async () => {
    const open = await openNotifying(browser)
    await hide(open.page)
    for (let at = 0; at < 200; at += 1) ask(open.seat, `q${at}`)
    await untilSaid(open, ['200 need you'])
    for (let at = 0; at < 199; at += 1)
      open.seat.say('need', { change: 'closed', need: need(`q${at}`, { state: 'closed' }) })
    await vi.waitFor(async () => expect((await saidBy(open.page)).at(-1)?.title).toBe('1 needs you'), 20_000)

    const said = await saidBy(open.page)
    expect(said.filter(({ silent }) => !silent)).toHaveLength(1)
    expect(new Set(said.map(({ tag }) => tag)).size).toBe(1)
    await open.close()
  })

  test.for(['system', 'off'])(
    'with "%s" the page tells of nothing and asks for nothing (SEAT-43)',
    async (notify) => {
      const open = await openNotifying(browser, { notify, permission: 'default' })
      await hide(open.page)
      ask(open.seat, 'cc')
      await untilTitle(open.page, '(2) agentd')
      await open.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1_500)))

      expect(await open.page.getByRole('button', { name: 'Notify me' }).count()).toBe(0)
      expect(await titles(open)).toEqual([])
      await open.close()
    },
  )
})
