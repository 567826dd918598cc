import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Browser } from 'playwright-core'
import { advisory } from '../ui/support/wire.ts'
import { findChromium } from '../support/needs.ts'
import { launch, openPage, type OpenPage } from './support/browser.ts'

const chromium = findChromium()

/** Says items from one number up to another, in one go. */
function pour({ seat }: OpenPage, from: number, to: number): void {
  for (let i = from; i < to; i += 1)
    seat.say('passed', advisory('~alice/cc@s1', [], { text: `item ${i}` }), `e1-${i}`)
}

async function openPassing(browser: Browser): Promise<OpenPage> {
  const open = await openPage(browser)
  await open.page.getByText('Nothing needs you.').waitFor()
  await open.page.keyboard.press('g')
  await open.page.keyboard.press('p')
  await open.page.getByText('Nothing has passed yet.').waitFor()
  return open
}

/** The text of the first row that is seen whole. */
function topRow({ page }: OpenPage): Promise<string | null | undefined> {
  return page.evaluate(() => {
    const list = document.querySelector('.timeline')?.getBoundingClientRect().top ?? 0
    const rows = [...document.querySelectorAll('.row')]
    const seen = rows.filter((row) => row.getBoundingClientRect().top >= list)
    seen.sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
    return seen[0]?.querySelector('.says')?.textContent
  })
}

const shown = (open: OpenPage, text: string): Promise<void> =>
  open.page.locator('.row', { hasText: text }).first().waitFor()

describe.runIf(chromium !== undefined)('the screen of what passes', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(chromium)
  })
  afterAll(() => browser.close())

  test('it follows what comes, and never has over 200 rows in the document (SEAT-35)', async () => {
    const open = await openPassing(browser)
    pour(open, 1, 5_001)
    await shown(open, 'item 5000')

    expect(await open.page.locator('.row').count()).toBeLessThanOrEqual(200)
    const last = open.page.locator('.row', { hasText: 'item 5000' })
    expect(await last.getAttribute('aria-posinset')).toBe('5000')
    expect(await last.getAttribute('aria-setsize')).toBe('5000')
    await open.close()
  })

  test('who scrolls up stays there, reads how many are new, and goes back with a click (SEAT-36)', async () => {
    const open = await openPassing(browser)
    pour(open, 1, 1_001)
    await shown(open, 'item 1000')
    await open.page.$eval('.timeline', (list) => (list.scrollTop = 300 * 28))
    await shown(open, 'item 301')
    const before = await topRow(open)
    pour(open, 1_001, 1_013)
    await open.page.getByRole('button', { name: '12 new' }).waitFor()

    expect(before).toBe('item 301')
    expect(await topRow(open)).toBe(before)
    await open.page.getByRole('button', { name: '12 new' }).click()
    await shown(open, 'item 1012')
    await open.close()
  })

  test('who scrolls up stays there when old rows go from a full store (SEAT-36)', async () => {
    const open = await openPassing(browser)
    for (let from = 1; from < 100_001; from += 5_000) {
      pour(open, from, from + 5_000)
      await shown(open, `item ${from + 4_999}`)
    }
    await open.page.$eval('.timeline', (list) => (list.scrollTop = 50_000 * 28))
    await shown(open, 'item 50001')
    const before = await topRow(open)
    pour(open, 100_001, 103_001)
    await open.page.getByRole('button', { name: '3000 new' }).waitFor()

    expect(await topRow(open)).toBe(before)
    expect(open.errors).toEqual([])
    await open.close()
  }, 120_000)

  test('a pause stops the list where it is, and going on shows what came (SEAT-36)', async () => {
    const open = await openPassing(browser)
    pour(open, 1, 4)
    await shown(open, 'item 3')
    await open.page.keyboard.press('p')
    pour(open, 4, 7)
    await open.page.getByRole('button', { name: '3 new' }).waitFor()

    expect(await open.page.locator('.row').count()).toBe(3)
    await open.page.keyboard.press('p')
    await shown(open, 'item 6')
    await open.close()
  })

  test('a filter shows what fits and says when nothing does (SEAT-26)', async () => {
    const open = await openPassing(browser)
    pour(open, 1, 31)
    await shown(open, 'item 30')
    await open.page.keyboard.press('/')
    await open.page.keyboard.type('item 2')
    await open.page.locator('.row[aria-setsize="12"]').first().waitFor()

    expect(await open.page.locator('.row').count()).toBe(12)
    await open.page.keyboard.type('99')
    await open.page.getByText('Nothing that has passed fits the filter.').waitFor()
    await open.close()
  })

  test('a row is chosen with the arrows, named to who cannot see it, and opened with Enter (SEAT-32)', async () => {
    const open = await openPassing(browser)
    open.seat.answers = () => ({
      status: 200,
      body: { sender: '~alice/cc@s1', frame: { kind: 'agent_advisory' } },
    })
    pour(open, 1, 4)
    await shown(open, 'item 3')
    for (const key of ['ArrowDown', 'ArrowUp', 'ArrowUp']) await open.page.keyboard.press(key)
    const list = open.page.getByRole('listbox')
    const active = await list.getAttribute('aria-activedescendant')
    await open.page.keyboard.press('Enter')
    await open.page.getByText('Item e1-2').waitFor()

    expect(await open.page.locator(`#${active}`).textContent()).toContain('item 2')
    expect(open.seat.askedFor('/v1/events/e1-2')).toHaveLength(1)
    await open.close()
  })

  test('to forget says how much it is, asks once more, and forgets that and no more (SEAT-23)', async () => {
    const open = await openPassing(browser)
    const counted = { forgotten: 0, would_forget: 3, up_to: 'e1-9' }
    open.seat.answers = ({ method, path }) => {
      if (method !== 'DELETE') return { status: 200, body: { frame: { kind: 'agent_advisory' } } }
      return { status: 200, body: path.includes('dry_run') ? counted : { forgotten: 2 } }
    }
    pour(open, 1, 2)
    await open.page.click('.row')
    await open.page.getByRole('button', { name: 'Forget…' }).click()
    await open.page.getByRole('button', { name: 'every advisory' }).click()
    await open.page.getByText('Press Enter to forget 3 items for good (every advisory)').waitFor()
    const asked = (): readonly string[] => open.seat.askedFor('/v1/frames').map(({ path }) => path)
    expect(asked()).toEqual(['/v1/frames?kind=agent_advisory&dry_run=true'])
    await open.page.keyboard.press('Enter')
    await open.page.getByText('Forgot 2 items.').last().waitFor()

    expect(asked().slice(1)).toEqual(['/v1/frames?kind=agent_advisory&up_to=e1-9'])
    await open.close()
  })

  test('who does not want to forget after all goes back by Escape, a step at a time (SEAT-30)', async () => {
    const open = await openPassing(browser)
    open.seat.answers = () => ({ status: 200, body: { frame: {}, would_forget: 1 } })
    pour(open, 1, 2)
    await open.page.click('.row')
    await open.page.getByRole('button', { name: 'Forget…' }).click()
    await open.page.getByRole('button', { name: 'this item', exact: true }).click()
    await open.page.locator('.confirm').waitFor()
    await open.page.keyboard.press('Escape')
    await open.page.locator('.confirm').waitFor({ state: 'detached' })
    await open.page.getByRole('button', { name: 'this item', exact: true }).focus()
    await open.page.keyboard.press('Escape')
    await open.page.getByRole('button', { name: 'this item', exact: true }).waitFor({ state: 'detached' })

    expect(await open.page.locator('.detail').count()).toBe(1)
    expect(open.seat.askedFor('/v1/frames')).toHaveLength(1)
    await open.close()
  })

  test.for([
    [
      { status: 200, body: { forgotten: 0, would_forget: 0, up_to: 'e1-9' } },
      'Nothing of it is retained any more.',
    ],
    [
      { status: 403, body: { code: 'scope-unauthorised', message: 'Only the principal.' } },
      'Not forgotten. Only the principal.',
    ],
  ] as const)('a count of %j is told and nothing is forgotten (SEAT-23)', async ([answer, says]) => {
    const open = await openPassing(browser)
    open.seat.answers = ({ method }) => (method === 'DELETE' ? answer : { status: 200, body: { frame: {} } })
    pour(open, 1, 2)
    await open.page.click('.row')
    await open.page.getByRole('button', { name: 'Forget…' }).click()
    await open.page.getByRole('button', { name: 'this item', exact: true }).click()
    await open.page.locator('.detail .outcome', { hasText: says }).waitFor()

    expect(open.seat.askedFor('/v1/frames')).toHaveLength(1)
    await open.close()
  })

  test('a gap is a line across the list (SEAT-19)', async () => {
    const open = await openPassing(browser)
    open.seat.say('gap', { reason: 'trimmed', missed: 23 })
    await open.page.locator('.row.gap', { hasText: '23 frames missing here: no longer retained' }).waitFor()
    await open.close()
  })
})
