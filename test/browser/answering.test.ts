/** What waits for the person in an item of the past, answered where it is read. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Browser } from 'playwright-core'
import { findChromium } from '../support/needs.ts'
import { validPayload } from '../support/frames.ts'
import { launch } from './support/browser.ts'
import { agent, heard, sit } from './support/sitting.ts'

const chromium = findChromium()

const TO_THE_PERSON = '~alice/human*'

describe.runIf(chromium !== undefined)('answering from what passes', { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(chromium)
  })
  afterAll(() => browser.close())

  test('a question is answered in its detail by keys alone, and stays there with its outcome (SEAT-21, SEAT-31)', async () => {
    await using sitting = await sit(browser)
    const { page, client, errors } = sitting
    const asked = (await agent(client, 's1')).ask('May I push?', { scope: TO_THE_PERSON, timeoutMs: 30_000 })
    await page.locator('nav', { hasText: 'Now 1' }).waitFor()
    for (const key of ['g', 'p', 'j', 'j']) await page.keyboard.press(key)
    await page.keyboard.press('Enter')
    await page.locator('.detail [data-type=question]').waitFor()
    await heard(page)
    await page.keyboard.press('a')
    await page.keyboard.type('Yes, go on')
    await page.keyboard.press('Control+Enter')

    expect(await asked).toMatchObject({ outcome: 'answered', responses: [{ text: 'Yes, go on' }] })
    await page.locator('.detail .outcome', { hasText: 'Sent to 1 session.' }).waitFor()
    expect(await page.locator('.detail [data-action=answer]').count()).toBe(0)
    expect(errors).toEqual([])
  })

  test('a decision is chosen there, and one that was answered elsewhere says so (SEAT-21, SEAT-22)', async () => {
    await using sitting = await sit(browser)
    const { page, client } = sitting
    const session = await client.session({ instrument: 'cc-opus', sessionId: 's1', mailbox: true })
    const payload = validPayload('agent_binding_moment')
    const decide = () => session.send({ kind: 'agent_binding_moment', payload, scope: TO_THE_PERSON })
    const { frameId } = await decide()
    await page.click('nav >> text=Passing')
    await page.locator('.row').first().click()
    await page.locator('.detail [data-type=decision]').waitFor()
    await client.verb('agent_respond', { query_id: frameId, text: 'option: batches' })
    await page.locator('.detail').getByText('This is settled: answered elsewhere.').waitFor()
    await decide()
    await page.locator('.row').nth(2).waitFor()
    await page.locator('.timeline').press('End')
    await page.keyboard.press('Enter')
    await page.locator('.detail [data-action=option-2]').waitFor()
    await heard(page)
    for (const key of ['a', '2', 'Enter']) await page.keyboard.press(key)
    await page.locator('.detail .outcome', { hasText: 'Sent to 1 session' }).waitFor()

    const { items } = await client.history({ filter: 'kind:agent_response' })
    expect(items.at(-1)?.frame.payload).toMatchObject({ response_text: 'option: one go' })
  })

  test('a dismissal goes to whoever asked, and to nobody who was to hear answers (SEAT-12)', async () => {
    await using sitting = await sit(browser)
    const { page, client } = sitting
    const asker = await client.session({ instrument: 'cc-opus', sessionId: 's1', mailbox: true })
    const other = await client.session({ instrument: 'codex', sessionId: 's2', mailbox: true })
    const payload = { ...validPayload('agent_query'), response_scope: '~alice/codex*' }
    await asker.send({ kind: 'agent_query', payload, scope: TO_THE_PERSON })
    await page.waitForSelector('[data-type=question]')
    await heard(page)
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.locator('.card .outcome', { hasText: 'Sent to 1 session' }).waitFor()

    const kinds = async ({ inbox }: typeof asker): Promise<readonly unknown[]> =>
      (await inbox.drain()).items.map(({ frame }) => frame?.kind)
    expect([await kinds(asker), await kinds(other)]).toEqual([['agent_return_event'], []])
  })
})
