import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Browser, Page } from 'playwright-core'
import { agentd } from '../cli/support.ts'
import { findChromium } from '../support/needs.ts'
import { launch } from './support/browser.ts'
import { agent, openLink, sit, type Sitting } from './support/sitting.ts'

const chromium = findChromium()

/** What is retained, by what it says: the newest first. */
async function retained({ seat }: Sitting): Promise<readonly string[]> {
  const token = await seat.signIn()
  const { body } = await seat.ask('/v1/events?limit=1000', { token })
  const { items }: { items: readonly { frame?: { payload: object }; envelope?: { payload: object } }[] } =
    body
  return items.map(({ frame, envelope }) => JSON.stringify((frame ?? envelope)?.payload))
}

/** Three advisories, a question and a thread of two, the question in the middle. */
async function talk({ client }: Sitting): Promise<void> {
  const session = await agent(client, 's1')
  const corr = randomUUID()
  const task = async (says: string): Promise<unknown> =>
    client.sendEnvelope({
      type: 'task',
      from: 'agent.boss',
      to: 'bus.ops',
      intent: 'ops.do',
      corr,
      payload: { says },
    })
  await session.advise('first word')
  await task('first task')
  await session.advise('second word')
  await session.send({
    kind: 'agent_query',
    payload: {
      query_text: 'a question',
      query_id: randomUUID(),
      response_scope: session.address,
      timeout_ms: 60_000,
    },
  })
  await task('second task')
  await session.advise('third word')
}

/** What {@link talk} says, the oldest first. */
const ALL = ['first word', 'first task', 'second word', 'a question', 'second task', 'third word']

/** Waits until exactly these stand on the list, the oldest first. */
async function rowsAre(page: Page, says: readonly string[]): Promise<void> {
  await vi.waitFor(async () => {
    const rows = await page.locator('.row .says').allInnerTexts()
    expect(rows.map((text) => says.find((one) => text.includes(one)) ?? text)).toEqual(says)
  }, 10_000)
}

describe.runIf(chromium !== undefined)('forgetting on a real daemon', { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(chromium)
  })
  afterAll(() => browser.close())

  test.for([
    [
      'item',
      'second word',
      'this item',
      1,
      ['first word', 'first task', 'a question', 'second task', 'third word'],
    ],
    [
      'thread',
      'first task',
      'every envelope of its thread',
      2,
      ['first word', 'second word', 'a question', 'third word'],
    ],
    ['kind', 'first word', 'every advisory', 3, ['first task', 'a question', 'second task']],
    ['age', 'a question', 'this item and all before it', 4, ['second task', 'third word']],
  ] as const)(
    'by %s: what the page counts is what goes, from every page that is open and from the history (SEAT-23, W-8)',
    async ([, row, choice, count, left]) => {
      await using sitting = await sit(browser)
      const { page, seat, client, errors } = sitting
      const other = await page.context().newPage()
      await openLink(other, seat)
      await talk(sitting)
      for (const one of [page, other]) await one.click('nav >> text=Passing')
      await page.locator('.row', { hasText: row }).click()
      await page.locator('.json', { hasText: row }).waitFor()
      await page.getByRole('button', { name: 'Forget…' }).press('Enter')
      await page.getByRole('button', { name: choice, exact: true }).press('Enter')
      const words = count === 1 ? '1 item' : `${count} items`
      await page.getByText(`Press Enter to forget ${words} for good (${choice})`).waitFor()
      // What comes between the question and the yes stays.
      await (await agent(client, 's2')).advise('late word')
      await page.keyboard.press('Enter')
      await page.locator('.detail .outcome', { hasText: `Forgot ${words}.` }).waitFor()
      const says = [...left, 'late word']
      for (const one of [page, other]) await rowsAre(one, says)
      expect(await page.locator('.json').count()).toBe(0)

      const kept = (await retained(sitting)).map(
        (payload) => [...says, row].find((one) => payload.includes(one)) ?? payload,
      )
      expect(kept.toReversed()).toEqual(says)
      expect(errors).toEqual([])
    },
  )

  test.for([
    ['--kind agent_advisory', ['first task', 'a question', 'second task']],
    ['--corr', ['first word', 'second word', 'a question', 'third word']],
  ] as const)(
    'what the command line forgets by %s goes from every page that is open, envelopes too (SEAT-23, W-8)',
    async ([by, left]) => {
      await using sitting = await sit(browser)
      const { page, seat, client, errors } = sitting
      await talk(sitting)
      await page.click('nav >> text=Passing')
      await rowsAre(page, ALL)
      const [thread] = (await client.threads()).items
      const words = by === '--corr' ? `--corr ${thread?.corr}` : by

      const { code } = await agentd(seat.daemon.env, ['history', '--forget', '--yes', ...words.split(' ')])

      expect(code).toBe(0)
      await rowsAre(page, left)
      expect(errors).toEqual([])
    },
  )

  test('an item that was forgotten elsewhere meanwhile says that nothing of it is left (SEAT-23)', async () => {
    await using sitting = await sit(browser)
    const { page, client } = sitting
    await (await agent(client, 's1')).advise('a word')
    await page.click('nav >> text=Passing')
    await page.locator('.row', { hasText: 'a word' }).click()
    await page.locator('.json', { hasText: 'a word' }).waitFor()
    await client.forget({ kind: 'agent_advisory' })
    await page.locator('.row', { hasText: 'a word' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Forget…' }).click()
    await page.getByRole('button', { name: 'this item', exact: true }).click()

    await page.locator('.detail .outcome', { hasText: 'Nothing of it is retained any more.' }).waitFor()
  })
})
