import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { connect } from '../../src/client/index.ts'
import { startTestDaemon } from '../support/daemon.ts'
import { decisionFrame } from '../ui/support/wire.ts'
import { findChromium } from '../support/needs.ts'
import { launch } from './support/browser.ts'
import { agent, heard, sit } from './support/sitting.ts'

const chromium = findChromium()

const TO_THE_PERSON = '~alice/human*'

describe.runIf(chromium !== undefined)('the page on a real daemon', { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(chromium)
  })
  afterAll(() => browser.close())

  test('whoever asks the person gets the answer that was typed, and the card goes (SEAT-01, SEAT-08, SEAT-21)', async () => {
    await using sitting = await sit(browser)
    const { page, client, errors } = sitting
    const session = await agent(client, 's1')
    const asked = session.ask('May I push?', { scope: TO_THE_PERSON, timeoutMs: 30_000 })
    await page.waitForSelector('[data-type=question]')
    await heard(page)
    for (const key of ['j', 'a']) await page.keyboard.press(key)
    await page.keyboard.type('Yes, go on')
    await page.keyboard.press('Control+Enter')

    expect(await asked).toMatchObject({
      outcome: 'answered',
      recipientCount: 1,
      responses: [{ text: 'Yes, go on' }],
    })
    await page.locator('.card .outcome', { hasText: 'Sent to 1 session.' }).waitFor()
    await page.getByText('Nothing needs you.').waitFor({ timeout: 15_000 })
    expect(errors).toEqual([])
  })

  test('whoever asks and is dismissed learns that no answer comes (SEAT-12)', async () => {
    await using sitting = await sit(browser)
    const { page, client } = sitting
    const session = await agent(client, 's1')

    for (const asker of [session, client]) {
      const asked = asker.ask('May I push?', { scope: TO_THE_PERSON, timeoutMs: 30_000 })
      await page.waitForSelector('[data-type=question] button.quiet')
      await heard(page)
      await page.click('[data-type=question] button.quiet')

      expect(await asked).toMatchObject({
        outcome: 'dismissed',
        dismissal: { summary: expect.stringContaining('no answer comes') },
      })
    }
  })

  test('what was shown for a second is seen, by the receipts of whoever sent it (SEAT-04)', async () => {
    await using sitting = await sit(browser)
    const { page, client } = sitting
    const session = await agent(client, 's1')
    const asked = session.ask('May I push?', { scope: TO_THE_PERSON, timeoutMs: 2_000 })
    await page.waitForSelector('[data-type=question]')

    const { queryId } = await asked
    const { items } = await client.history({ filter: 'kind:agent_query' })
    expect(items[0]?.frame).toMatchObject({ payload: { query_id: queryId } })
    const { frame_id: frameId = '' } = JSON.parse(JSON.stringify(items[0]?.frame))
    await vi.waitFor(
      async () => expect(await client.receipts(frameId)).toMatchObject({ receipts: [{ state: 'seen' }] }),
      5_000,
    )
  })

  test('a decision goes back to whoever asked, and to nobody else (W-7, W-9)', async () => {
    await using sitting = await sit(browser)
    const { page, client } = sitting
    const [session, other] = [await agent(client, 's1'), await agent(client, 's2')]
    const [stream, others] = [session.stream(), other.stream()]
    await Promise.all([stream.opened, others.opened])
    const { payload } = JSON.parse(JSON.stringify(decisionFrame()))
    await session.verb('agent_decide', { ...payload, recipient_scope: TO_THE_PERSON })
    await page.waitForSelector('[data-type=decision]')
    await heard(page)
    for (const key of ['j', '2', 'Enter']) await page.keyboard.press(key)
    await page.locator('.card .outcome', { hasText: 'Sent to 1 session.' }).waitFor()
    await (await agent(client, 's3')).advise('over')

    const responseTo = async (from: typeof stream): Promise<readonly string[]> => {
      const texts: string[] = []
      for await (const item of from) {
        if (item.type !== 'frame') continue
        if (item.frame.kind === 'agent_response') texts.push(item.frame.payload.response_text)
        if (item.frame.kind === 'agent_advisory') break
      }
      return texts
    }
    expect(await responseTo(stream)).toEqual(['option: Drop it now'])
    expect(await responseTo(others)).toEqual([])
  })

  test('two sessions at one file are a collision while both are there (SEAT-24)', async () => {
    await using sitting = await sit(browser)
    const { page, client } = sitting
    const [one, two] = [await agent(client, 's1'), await agent(client, 's2')]
    await one.advise('editing', { fileRefs: ['src/auth.ts'] })
    await two.lock('src/auth.ts')
    await page.locator('.collisions li', { hasText: 'src/auth.ts' }).waitFor()

    expect(await page.innerText('.collisions')).toContain('same worktree')
    expect(await page.innerText('.here')).toContain('editing')
    await two.close()
    await page.getByText('No file has two sessions at it.').waitFor()
  })

  test('a message of the person’s own reaches as many as it said it would, and says that it was a person (SEAT-05, SEAT-23)', async () => {
    await using sitting = await sit(browser)
    const { page, client } = sitting
    const session = await agent(client, 's1')
    const stream = session.stream()
    await stream.opened
    await page.locator('.here-line').waitFor()
    await page.keyboard.press('s')
    const panel = page.getByRole('dialog')
    await panel.getByLabel('To', { exact: true }).fill('~alice/cc*')
    await panel.getByText('reaches 1 session').waitFor()
    await panel.getByLabel('What they are to know').fill('The build is red')
    await page.keyboard.press('Control+Enter')
    await panel.locator('.outcome', { hasText: 'Sent to 1 session.' }).waitFor()

    for await (const item of stream) {
      if (item.type !== 'frame') continue
      expect(item.frame).toMatchObject({
        kind: 'agent_advisory',
        payload: { advisory_text: 'The build is red' },
        drafted_with: '~human',
        provenance_basis: 'person',
      })
      break
    }
  })

  test('a question of the person’s own shows who answers it, and who has dismissed it (SEAT-12, SEAT-23)', async () => {
    await using sitting = await sit(browser)
    const { page, client } = sitting
    const sessions = [await agent(client, 's1'), await agent(client, 's2')] as const
    for (const session of sessions) await session.stream().opened
    await page.locator('.here-line').nth(1).waitFor()
    await page.keyboard.press('Q')
    const panel = page.getByRole('dialog')
    await panel.getByLabel('To', { exact: true }).fill('~alice/cc*')
    await panel.getByLabel('Your question').fill('Who has the key?')
    await page.keyboard.press('Control+Enter')
    await panel.getByText('No answer yet.').waitFor()
    const { items } = await client.history({ filter: 'kind:agent_query' })
    const { query_id: queryId } = JSON.parse(JSON.stringify(items[0]?.frame.payload))
    await sessions[0].verb('agent_respond', { query_id: queryId, text: 'I have it' })
    await sessions[1].verb('agent_return', { return_event_ref: 'x', summary: 'Not mine', query_id: queryId })
    const answers = panel.getByRole('region', { name: 'Answers' })
    await answers.getByText('Not mine').waitFor()

    const heads = await answers.locator('.facts').allInnerTexts()
    expect(heads).toEqual(['from cc-opus@s1', 'dismissed by cc-opus@s2'])
    expect(await answers.innerText()).toContain('I have it')
  })

  test('an item opens in full, and is gone for good when it was forgotten (SEAT-23, SEAT-35)', async () => {
    await using sitting = await sit(browser)
    const { page, client, errors } = sitting
    const session = await agent(client, 's1')
    await session.advise('not to be quoted', { fileRefs: ['src/auth.ts'] })
    await page.click('nav >> text=Passing')
    await page.click('.row >> text=not to be quoted')
    await page.locator('.json', { hasText: '"file_refs"' }).waitFor()
    expect(await page.innerText('.detail')).toContain('~alice/human')
    await page.getByRole('button', { name: 'Forget…' }).click()
    await page.getByRole('button', { name: 'this item', exact: true }).click()
    await page.getByText('forget 1 item for good').waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.detail .outcome', { hasText: 'Forgot 1 item.' }).waitFor()

    expect((await client.history({ filter: 'kind:agent_advisory' })).items).toEqual([])
    expect(errors).toEqual([])
  })

  test('a daemon that is killed is told of, and the page goes on with the next one, nothing lost (SEAT-19)', async () => {
    await using sitting = await sit(browser)
    const { page, client, seat } = sitting
    const session = await agent(client, 's1')
    await session.advise('before')
    await page.click('nav >> text=Passing')
    await page.locator('.row', { hasText: 'before' }).waitFor()
    await seat.daemon.stop('SIGKILL')
    await page.getByText('The daemon is gone').waitFor()
    await using next = await startTestDaemon({ dir: seat.daemon.dir })
    await using again = await connect({ socket: next.socket })
    const second = await agent(again, 's2')
    await second.advise('after')
    await page.waitForSelector('.link.live')
    await page.locator('.row', { hasText: 'after' }).waitFor()

    expect(await page.locator('.row', { hasText: 'before' }).count()).toBe(1)
    expect(await page.locator('.banner').count()).toBe(0)
  })
})
