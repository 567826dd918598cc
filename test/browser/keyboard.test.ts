/**
 * Every flow without a pointer: by Tab, arrows, Enter and Esc with single keys off, and by the single keys (SEAT-31). Each
 * ends with what the other side got.
 */
import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startAgentd } from '../cli/support.ts'
import { hireWorker } from '../support/approvals.ts'
import { findChromium } from '../support/needs.ts'
import { decisionFrame } from '../ui/support/wire.ts'
import { launch } from './support/browser.ts'
import { act, choose, tabTo, type Way } from './support/hands.ts'
import { agent, heard, sit, type Sitting } from './support/sitting.ts'

const chromium = findChromium()

const TO_THE_PERSON = '~alice/human*'

const WAYS: readonly Way[] = [
  { name: 'Tab, arrows, Enter and Esc', hasSingleKeys: false, down: 'ArrowDown' },
  { name: 'single keys', hasSingleKeys: true, down: 'j' },
]

const unread = async ({ inbox }: Awaited<ReturnType<typeof agent>>): Promise<string> => {
  await inbox.wait(10_000)
  return JSON.stringify((await inbox.drain()).items)
}

describe.runIf(chromium !== undefined).each(WAYS)('by $name', { timeout: 60_000 }, (way) => {
  let browser: Browser
  let sitting: Sitting
  beforeAll(async () => {
    browser = await launch(chromium)
    sitting = await sit(browser, { singleKeys: way.hasSingleKeys })
  })
  afterAll(async () => {
    await sitting[Symbol.asyncDispose]()
    await browser.close()
  })

  /**
   * The card of a text, chosen, on a page with no card that was answered before: when that one goes, this one moves and is deaf.
   * It goes by its id, since what is answered leaves its text out.
   */
  async function atCard(text: string): Promise<Locator> {
    await sitting.page.reload()
    const id = await sitting.page.locator('[data-need]', { hasText: text }).getAttribute('data-need')
    const card = sitting.page.locator(`[data-need="${id}"]`)
    await heard(sitting.page)
    await choose(sitting.page, way, card)
    return card
  }

  /** What was typed goes. */
  const send = (within: Locator, name = 'Send'): Promise<void> =>
    act(sitting.page, way, ['Control+Enter'], within.getByRole('button', { name, exact: true }).last())

  /** Somebody who is asked for by turns: what comes waits. */
  const asker = (name: string): ReturnType<typeof agent> =>
    sitting.client.session({ instrument: 'cc-opus', sessionId: `${way.down}-${name}`, mailbox: true })

  test('a page on which nothing is says so, and every control of it can be reached (SEAT-26)', async () => {
    const { page } = sitting
    for (const says of ['Nobody is here yet', 'Nothing needs you.', 'No file has two sessions at it.'])
      await page.getByText(says).waitFor()
    for (const button of await page.getByRole('button').all()) await tabTo(page, button)
    await act(page, way, ['g', 'p'], page.getByRole('button', { name: 'Passing' }))
    await page.getByText('Nothing has passed yet.').waitFor()
    await act(page, way, ['g', 'n'], page.getByRole('button', { name: 'Now' }))
    await page.getByText('Nothing needs you.').waitFor()
  })

  test('a tick box takes Enter as it takes the space bar (SEAT-31)', async () => {
    const { page } = sitting
    await act(page, way, ['g', 'p'], page.getByRole('button', { name: 'Passing' }))
    const box = page.getByLabel('only mine')
    for (const isTicked of [true, false]) {
      await tabTo(page, box)
      await page.keyboard.press('Enter')
      expect(await box.isChecked()).toBe(isTicked)
    }
    await act(page, way, ['g', 'n'], page.getByRole('button', { name: 'Now' }))
  })

  test('a question is answered, and who asked ends with 0 and the answer (SEAT-21)', async () => {
    const { page, seat } = sitting
    await using asking = startAgentd(seat.daemon.env, ['ask', 'May I push?', '--scope', TO_THE_PERSON])
    const card = await atCard('May I push?')
    await act(page, way, ['a'], card.getByRole('button', { name: 'Answer' }))
    await page.keyboard.type('Yes')
    await send(card)
    await card.getByText('Sent to 1 session.').waitFor()

    expect(await asking.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Yes') })
  })

  test('a field is left with Escape, and what was typed is there again (SEAT-23, SEAT-30)', async () => {
    const { page, client } = sitting
    const session = await agent(client, `${way.down}-draft`)
    void session.ask('Which port?', { scope: TO_THE_PERSON }).catch(() => {})
    const card = await atCard('Which port?')
    await act(page, way, ['a'], card.getByRole('button', { name: 'Answer' }))
    await page.keyboard.type('80')
    await page.keyboard.press('Escape')
    await card.getByRole('textbox').waitFor({ state: 'detached' })
    await choose(page, way, card)
    await act(page, way, ['a'], card.getByRole('button', { name: 'Answer' }))

    expect(await card.getByRole('textbox').inputValue()).toBe('80')
    await page.keyboard.press('Escape')
    await tabTo(page, card.getByRole('button', { name: 'Dismiss' }))
    await page.keyboard.press('Enter')
    await card.locator('.outcome').waitFor()
  })

  test('an answer that is late reaches the mailbox of who asked (SEAT-08, SEAT-21)', async () => {
    const { page } = sitting
    const session = await asker('late')
    // On a busy machine, a shorter time would be over before it has been asked.
    const { outcome } = await session.ask('Is it red?', { scope: TO_THE_PERSON, timeoutMs: 2_000 })
    const card = await atCard('Is it red?')
    await card.getByText('late: its time is over, and an answer still reaches it').waitFor()
    await act(page, way, ['a'], card.getByRole('button', { name: 'Answer' }))
    await page.keyboard.type('It is green')
    await send(card)
    await card.locator('.outcome').waitFor()

    expect(outcome).toBe('deadline')
    expect(await unread(session)).toContain('It is green')
  })

  test('a decision is made by an option, by something else, and by another question (W-9, SEAT-30)', async () => {
    const { page } = sitting
    const session = await asker('decide')
    const ways = [
      [['2'], 'Drop it now', 'option: Drop it now'],
      [['o'], 'something else', 'other: Rename it'],
      [['r'], 'the question is not the right one', 'revise: Rename it'],
    ] as const
    for (const [keys, name, text] of ways) {
      const synopsis = `The migration drops a column (${name})`
      const { payload } = JSON.parse(JSON.stringify(decisionFrame()))
      await session.verb('agent_decide', { ...payload, synopsis, recipient_scope: TO_THE_PERSON })
      const card = await atCard(synopsis)
      await act(page, way, keys, card.getByRole('button', { name }))
      if (keys[0] === '2') await page.keyboard.press('Enter')
      else {
        await page.keyboard.type('Rename it')
        await send(card)
      }
      await card.locator('.outcome', { hasText: 'Sent to 1 session' }).waitFor()

      expect(await unread(session)).toContain(`"${text}"`)
    }
  })

  test('a task is approved and another rejected, and the worker does exactly the first (SEAT-11, SEAT-23)', async () => {
    const { page, client } = sitting
    const worker = await hireWorker(client)
    for (const [door, key, name] of [
      [7, 'y', 'Approve'],
      [8, 'n', 'Reject'],
    ] as const) {
      const { end } = worker.give(door)
      const card = await atCard(`{"door":${door}}`)
      await act(page, way, [key], card.getByRole('button', { name }))
      await page.keyboard.press('Escape')
      await choose(page, way, card)
      await act(page, way, [key], card.getByRole('button', { name }))
      await page.keyboard.press('Enter')
      await card.locator('.outcome').waitFor()

      expect((await end).type).toBe(name === 'Approve' ? 'result' : 'error')
    }
    expect(worker.opened).toEqual([7])
  })

  test.for([
    ['send', ['s'], 'Send', 'What they are to know', 'agent_advisory'],
    ['ask', ['Q'], 'Ask', 'Your question', 'agent_query'],
    ['hand over', ['h'], 'Hand over', 'What the next one has to know', 'agent_handover'],
  ] as const)('to %s reaches who was named, and gives the focus back (SEAT-23, SEAT-32)', async (row) => {
    const [, keys, verb, label, kind] = row
    const { page, client } = sitting
    const session = await agent(client, `${way.down}-${kind}`)
    const stream = session.stream()
    await stream.opened
    const opener = page.locator('header.bar').getByRole('button', { name: 'Send' })
    await act(page, way, keys, opener)
    const panel = page.getByRole('dialog')
    await panel.waitFor()
    if (!way.hasSingleKeys)
      await act(page, way, [], panel.getByRole('button', { name: verb, exact: true }).first())
    await tabTo(page, panel.getByLabel('To', { exact: true }))
    await page.keyboard.type(session.address)
    await panel.getByText('reaches 1 session').waitFor()
    await tabTo(page, panel.getByLabel(label))
    await page.keyboard.type('The build is red')
    await send(panel, verb)
    await panel.locator('.outcome', { hasText: 'Sent to 1 session.' }).waitFor()
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })

    for await (const item of stream) {
      if (item.type !== 'frame') continue
      expect(item.frame).toMatchObject({ kind, provenance_basis: 'person' })
      expect(JSON.stringify(item.frame.payload)).toContain('The build is red')
      break
    }
    if (!way.hasSingleKeys) expect(await opener.evaluate((one) => one === document.activeElement)).toBe(true)
  })

  test('an item is forgotten, and is in the history no more (SEAT-23)', async () => {
    const { page, client } = sitting
    const { frameId } = await client.advise('not to be quoted')
    await act(page, way, ['g', 'p'], page.getByRole('button', { name: 'Passing' }))
    const list = page.getByRole('listbox')
    const row = page.locator('.row', { hasText: 'not to be quoted' })
    await row.waitFor()
    await act(page, way, [way.down], list)
    await choose(page, way, row)
    await page.keyboard.press('Enter')
    await page.locator('.json', { hasText: frameId }).waitFor()
    for (const name of ['Forget…', 'this item']) {
      await tabTo(page, page.getByRole('button', { name, exact: true }))
      await page.keyboard.press('Enter')
    }
    await page.locator('.confirm').waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.detail .outcome', { hasText: 'Forgot 1 item.' }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.detail').waitFor({ state: 'detached' })

    await vi.waitFor(async () => {
      const { items } = await client.history({ filter: 'kind:agent_advisory' })
      expect(items.map(({ frame }) => frame.frame_id)).not.toContain(frameId)
    })
    expect(sitting.errors).toEqual([])
  })
})
