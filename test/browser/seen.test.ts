import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Browser, Page } from 'playwright-core'
import { findChromium } from '../support/needs.ts'
import { advisory } from '../ui/support/wire.ts'
import { launch, openPage, type OpenPage } from './support/browser.ts'
import { appear, hide } from './support/desktop.ts'
import { agent, openLink, sit, type Sitting } from './support/sitting.ts'

const chromium = findChromium()

/** Longer than anything is looked at before it is called seen; real, as the bound is. */
const lookOn = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1_500)))

const saidOf = ({ seat }: OpenPage): readonly unknown[] => seat.askedFor('/v1/seen').map(({ body }) => body)

async function passing(page: Page): Promise<void> {
  await page.waitForSelector('.link.live')
  await page.click('nav >> text=Passing')
  await page.locator('.passing').waitFor()
}

async function stateOf({ seat }: Sitting, eventId: string): Promise<readonly string[]> {
  const token = await seat.signIn()
  const { body } = await seat.ask(`/v1/events/${eventId}`, { token })
  const { receipts }: { receipts: readonly { address: string; state: string }[] } = body
  return receipts.filter(({ address }) => address.includes('/human')).map(({ state }) => state)
}

describe.runIf(chromium !== undefined)('what the person has seen of what passes', { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(chromium)
  })
  afterAll(() => browser.close())

  test('of two tabs the hidden one raises no receipt, and the one that is looked at does (SEAT-04)', async () => {
    await using sitting = await sit(browser)
    const { page, seat, client } = sitting
    const other = await page.context().newPage()
    await openLink(other, seat)
    for (const tab of [page, other]) await passing(tab)
    await hide(page)
    const session = await agent(client, 's1')
    const { eventId } = await session.advise('look here')
    await other.locator('.row', { hasText: 'look here' }).waitFor()
    // Before its second is over.
    await hide(other)
    await lookOn(page)
    expect(await stateOf(sitting, eventId)).toEqual(['emitted'])
    await appear(other)

    await vi.waitFor(async () => expect(await stateOf(sitting, eventId)).toEqual(['seen']), 5_000)
  })

  test('rows in view are told together after a second, once, and only those that came to the person (SEAT-04)', async () => {
    const open = await openPage(browser)
    await passing(open.page)
    const scopes = ['~alice/*', '~alice/cc@s2', '~alice/human*', 'agent.api']
    for (const [index, scope] of scopes.entries())
      open.seat.say('passed', { ...advisory('~alice/cc@s1', [], { text: scope }), scope }, `e1-${index + 1}`)
    await vi.waitFor(() => expect(saidOf(open)).toHaveLength(1), 5_000)
    await lookOn(open.page)

    expect(saidOf(open)).toEqual([{ event_ids: ['e1-1', 'e1-3'], via: 'stream' }])
    await open.close()
  })

  test('rows that come one by one are told together, and not with a request each (SEAT-04)', async () => {
    const open = await openPage(browser)
    await passing(open.page)
    for (let i = 1; i <= 20; i += 1) {
      open.seat.say('passed', advisory('~alice/cc@s1', [], { text: `item ${i}` }), `e1-${i}`)
      await open.page.locator('.says', { hasText: new RegExp(`^item ${i}$`) }).waitFor()
    }
    await vi.waitFor(() => expect(JSON.stringify(saidOf(open))).toContain('"e1-20"'), 10_000)
    const ids = JSON.stringify(saidOf(open)).match(/e1-\d+/g) ?? []

    expect([ids.length, new Set(ids).size]).toEqual([20, 20])
    expect(saidOf(open).length).toBeLessThan(10)
    await open.close()
  })

  test('what rushes by and what lies below the fold is not called seen (SEAT-04)', async () => {
    const open = await openPage(browser)
    await passing(open.page)
    for (let i = 1; i <= 500; i += 1)
      open.seat.say('passed', advisory('~alice/cc@s1', [], { text: `item ${i}` }), `e1-${i}`)
    await vi.waitFor(() => expect(JSON.stringify(saidOf(open))).toContain('"e1-500"'), 5_000)
    const said = JSON.stringify(saidOf(open))

    expect(said).not.toContain('"e1-400"')
    await open.page.$eval('.timeline', (list) => (list.scrollTop = 0))
    await vi.waitFor(() => expect(JSON.stringify(saidOf(open))).toContain('"e1-1"'), 5_000)
    await open.close()
  })

  test('who opens an item has seen it at once, also on the screen it came from (SEAT-04)', async () => {
    const open = await openPage(browser)
    open.seat.answers = () => ({ status: 200, body: { scope: '~alice/*', frame: {} } })
    await passing(open.page)
    open.seat.say('passed', advisory('~alice/cc@s1', [], { text: 'open me' }), 'e1-1')
    await open.page.locator('.row', { hasText: 'open me' }).click()
    await open.page.locator('.json').waitFor()
    await vi.waitFor(() => expect(saidOf(open)).toHaveLength(1))
    await lookOn(open.page)

    expect(saidOf(open)).toEqual([{ event_ids: ['e1-1'], via: 'stream' }])
    await open.close()
  })
})
