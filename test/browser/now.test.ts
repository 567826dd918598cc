import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Browser } from 'playwright-core'
import { playBusyMorning, prepareBusyMorning } from '../ui/support/scene.ts'
import { need, snapshot } from '../ui/support/wire.ts'
import { findChromium } from '../support/needs.ts'
import { launch, openPage, type OpenPage } from './support/browser.ts'

const chromium = findChromium()

const RESPOND = '/v1/verbs/agent_respond'

/** As long as a person takes to look: a card is deaf for half a second after it came. */
async function openMorning(browser: Browser): Promise<OpenPage & { readonly play: () => void }> {
  const open = await openPage(browser, (seat) => prepareBusyMorning(seat, Date.now()))
  await open.page.waitForSelector('[data-need="q1"]')
  await hearing(open)
  return { ...open, play: () => playBusyMorning(open.seat, Date.now()) }
}

/** A real wait: the bound that is looked at is one of real time. */
async function hearing({ page }: OpenPage): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 600)))
}

const outcome = ({ page }: OpenPage): Promise<void> =>
  page.locator('.card .outcome', { hasText: 'Sent to 1 session.' }).waitFor()

const bodiesOf = ({ seat }: OpenPage, path: string): readonly unknown[] =>
  seat.askedFor(path).map(({ body }) => body)

describe.runIf(chromium !== undefined)('the screen of now', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(chromium)
  })
  afterAll(() => browser.close())

  test('without a click it says who is here, what needs the person and which files collide, above the fold (SEAT-20)', async () => {
    const open = await openMorning(browser)
    open.play()
    await open.page.waitForSelector('.collisions li:nth-child(2)')

    const text = await open.page.innerText('body')
    const bottoms = await open.page.$$eval('[data-need]:not(details *), .here-line, .collisions li', (all) =>
      all.map((one) => one.getBoundingClientRect().bottom),
    )

    expect(text).toContain('5 here · 1 waiting · 3 need you')
    expect(text).toContain('waits at its own prompt: run "npm test"')
    expect(text).toContain('same worktree')
    expect(bottoms).toHaveLength(3 + 5 + 2)
    expect(Math.max(...bottoms)).toBeLessThanOrEqual(800)
    // The title follows behind what is drawn.
    await vi.waitFor(async () => expect(await open.page.title()).toBe('(3) agentd'), 5_000)
    expect(open.errors).toEqual([])
    await open.close()
  })

  test('a question is answered by pointer, and the card says whom the answer reached (SEAT-21, SEAT-23)', async () => {
    const open = await openMorning(browser)
    const card = open.page.locator('[data-need="q1"]')

    await card.getByRole('button', { name: 'Answer' }).click()
    await card.getByRole('textbox').fill('Yes, with --force-with-lease')
    await card.getByRole('button', { name: 'Send' }).click()
    await card.getByText('Sent to 1 session.').waitFor()

    expect(bodiesOf(open, RESPOND)).toEqual([{ query_id: 'q1', text: 'Yes, with --force-with-lease' }])
    expect(open.seat.askedFor(RESPOND)[0]?.headers.authorization).toMatch(/^Bearer /)
    await open.close()
  })

  test('a question is answered by keys alone: the key that opens the field does not type into it (SEAT-30, SEAT-31)', async () => {
    const open = await openMorning(browser)
    const { keyboard } = open.page

    for (const key of ['j', 'a', 'j', 'a', ' ', '1']) await keyboard.press(key)
    await keyboard.press('Control+Enter')
    await outcome(open)

    expect(bodiesOf(open, RESPOND)).toEqual([{ query_id: 'q1', text: 'ja 1' }])
    await open.close()
  })

  test('an option takes a second key, and Escape takes it back (SEAT-30, W-9)', async () => {
    const open = await openMorning(browser)
    const { keyboard } = open.page

    for (const key of ['j', 'j', '2', 'Escape']) await keyboard.press(key)
    expect(bodiesOf(open, RESPOND)).toEqual([])
    await open.page.focus('[data-need="d1"]')
    for (const key of ['3', 'Enter']) await keyboard.press(key)
    await outcome(open)

    expect(bodiesOf(open, RESPOND)).toMatchObject([
      { query_id: 'd1', text: 'option: Make it a view', recipient_scope: '~alice/cc-opus@s1' },
    ])
    await open.close()
  })

  test.for([
    ['o', 'other: Rename it'],
    ['r', 'revise: Rename it'],
  ] as const)('the way round the options by %s goes back as "%s" (W-9)', async ([key, text]) => {
    const open = await openMorning(browser)
    await open.page.focus('[data-need="d1"]')

    await open.page.keyboard.press(key)
    await open.page.keyboard.type('Rename it')
    await open.page.keyboard.press('Control+Enter')
    await outcome(open)

    expect(bodiesOf(open, RESPOND)).toMatchObject([{ query_id: 'd1', text }])
    await open.close()
  })

  test('an approval asks once more and names the hash that was shown (SEAT-11, SEAT-23)', async () => {
    const open = await openMorning(browser)
    await open.page.focus('[data-need="a1"]')

    await open.page.keyboard.press('y')
    expect(bodiesOf(open, '/v1/envelopes')).toEqual([])
    await open.page.keyboard.press('Enter')
    await outcome(open)

    const hash = `sha-256:${'ab'.repeat(32)}`
    expect(await open.page.innerText('[data-need="a1"]')).toContain('Sent to 1 session.')
    expect(bodiesOf(open, '/v1/envelopes')).toMatchObject([
      {
        from: 'human.alice',
        reply_to: 'ask-00001',
        payload: { approved: true, task: { id: 'task-0001', hash } },
      },
    ])
    await open.close()
  })

  test('what was refused keeps what was typed, and nothing is sent again by itself (SEAT-19, SEAT-23)', async () => {
    const open = await openMorning(browser)
    open.seat.answers = () => ({ status: 429, body: { code: 'rate-limited', message: 'Wait a second.' } })
    const card = open.page.locator('[data-need="q1"]')

    await card.getByRole('button', { name: 'Answer' }).click()
    await card.getByRole('textbox').fill('Yes')
    await card.getByRole('button', { name: 'Send' }).click()
    await card.getByText('Not sent. Wait a second.').waitFor()

    expect(await card.getByRole('textbox').inputValue()).toBe('Yes')
    expect(bodiesOf(open, RESPOND)).toHaveLength(1)
    await open.close()
  })

  test('a card that comes between press and release takes no click (SEAT-22)', async () => {
    const open = await openPage(browser, (seat) => {
      seat.snapshot = snapshot({ needs: [need('first')] })
    })
    await open.page.waitForSelector('[data-need="first"]')
    await hearing(open)
    const dismiss = await open.page.locator('[data-need="first"] button.quiet').boundingBox()
    await open.page.mouse.move((dismiss?.x ?? 0) + 5, (dismiss?.y ?? 0) + 5)

    for (let i = 0; i < 100; i += 1) {
      await open.page.mouse.down()
      const sooner = new Date(Date.now() + 1_000 + i).toISOString()
      open.seat.say('need', { change: 'opened', need: need(`new-${i}`, { until: sooner, text: `${i}` }) })
      await open.page.waitForSelector(`[data-need="new-${i}"]`)
      await open.page.mouse.up()
    }

    const sent = bodiesOf(open, '/v1/verbs/agent_return')
    expect(sent.every((body) => JSON.stringify(body).includes('"query_id":"first"'))).toBe(true)
    const order = await open.page.$$eval('[data-need]', (all) =>
      all.map((one) => one.getAttribute('data-need')),
    )
    expect(order.slice(0, 3)).toEqual(['first', 'new-0', 'new-1'])
    await open.close()
  })

  test('buttons of a card that has just appeared do nothing (SEAT-22)', async () => {
    const open = await openPage(browser, (seat) => {
      seat.snapshot = snapshot({ needs: [] })
    })
    await open.page.getByText('Nothing needs you.').waitFor()
    open.seat.say('need', { change: 'opened', need: need('q9') })
    await open.page.waitForSelector('[data-need="q9"]')
    await open.page.$eval(
      '[data-need="q9"] button.quiet',
      (button) => button instanceof HTMLElement && button.click(),
    )

    expect(bodiesOf(open, '/v1/verbs/agent_return')).toEqual([])
    await hearing(open)
    await open.page.click('[data-need="q9"] button.quiet')
    await vi.waitFor(() => expect(bodiesOf(open, '/v1/verbs/agent_return')).toHaveLength(1))
    await open.close()
  })

  test('a need that closes elsewhere goes from the page, and from its title (SEAT-08)', async () => {
    const open = await openMorning(browser)
    open.seat.say('need', { change: 'closed', need: need('q1', { state: 'closed', closed_by: 'answer' }) })
    await open.page.waitForSelector('[data-need="q1"]', { state: 'detached' })

    await vi.waitFor(async () => expect(await open.page.title()).toBe('(2) agentd'), 5_000)
    await open.close()
  })

  test('a card is told as seen after a second in view, and not on a page that is hidden (SEAT-04)', async () => {
    const open = await openMorning(browser)
    await vi.waitFor(() => expect(JSON.stringify(bodiesOf(open, '/v1/seen'))).toContain('e1-3'), 5_000)

    const hidden = await openPage(browser, (seat) => {
      seat.snapshot = snapshot({ needs: [] })
    })
    await hidden.page.getByText('Nothing needs you.').waitFor()
    await hidden.page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })
    })
    hidden.seat.say('need', { change: 'opened', need: need('q9') })
    await hidden.page.waitForSelector('[data-need="q9"]')
    await hidden.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1_500)))

    expect(bodiesOf(hidden, '/v1/seen')).toEqual([])
    await open.close()
    await hidden.close()
  })

  test('something of the person’s own says how many it reaches before, and who has seen it after (SEAT-23)', async () => {
    const open = await openMorning(browser)
    await open.page.keyboard.press('s')
    const panel = open.page.getByRole('dialog')
    await panel.getByLabel('To', { exact: true }).fill('~alice/cc*')
    await panel.getByText('reaches 2 sessions').waitFor()
    await panel.getByLabel('What they are to know').fill('The build is red')
    await panel.getByLabel('Files, one on each line').fill('src/a.ts\n\n')
    await panel.getByRole('button', { name: 'Send' }).last().click()
    await panel.locator('.outcome', { hasText: 'Sent to 1 session.' }).waitFor()
    open.seat.say('receipt', {
      event_id: 'e1-900',
      address: '~alice/cc-opus@s1',
      state: 'seen',
      at: new Date().toISOString(),
    })
    await panel.getByText('Seen by 1 of 1.').waitFor()

    expect(bodiesOf(open, '/v1/verbs/agent_advise')).toEqual([
      { text: 'The build is red', file_refs: ['src/a.ts'], recipient_scope: '~alice/cc*' },
    ])
    await open.close()
  })
})
