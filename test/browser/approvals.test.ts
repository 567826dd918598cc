/** Approving on the page, signed and unsigned, by pointer and by keys (SEAT-05, SEAT-11). */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { verifyEnvelope } from '../../src/client/aee.ts'
import { answerIn, hireWorker, makeKey } from '../support/approvals.ts'
import { findChromium } from '../support/needs.ts'
import { launch } from './support/browser.ts'
import { servePage, type ServedPage } from './support/served-page.ts'

const chromium = findChromium()

/** The worker listens at two places: to its tasks, and to the answers to what it asked. */
const outcome = ({ page }: ServedPage, signed: string): Promise<void> =>
  page.locator('.card .outcome', { hasText: `Sent to 2 sessions. It is ${signed}.` }).waitFor()

describe.runIf(chromium !== undefined)('approving on the page', { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(chromium)
  })
  afterAll(() => browser.close())

  test('with a key the worker opens exactly the approved door, and the library verifies both answers (SEAT-05, SEAT-11)', async () => {
    await using sitting = await servePage(browser)
    const { page, client, run } = sitting
    const { keys } = await makeKey(run)
    const worker = await hireWorker(client, { keys })

    const first = worker.give(7)
    const card = await sitting.card()
    await card.getByText('Your answer will be signed.').waitFor()
    await card.getByRole('button', { name: 'Approve' }).click()
    await card.getByRole('button', { name: 'Yes' }).click()
    await outcome(sitting, 'signed')
    expect((await first.end).type).toBe('result')
    await page.getByText('Nothing needs you.').waitFor({ timeout: 15_000 })
    const second = worker.give(8)
    await sitting.card()
    for (const key of ['j', 'n', 'Enter']) await page.keyboard.press(key)
    await outcome(sitting, 'signed')

    expect((await second.end).payload).toMatchObject({ code: 'E_REJECTED' })
    expect(worker.opened).toEqual([7])
    for (const [{ corr }, approved] of [
      [first, true],
      [second, false],
    ] as const) {
      const answer = await answerIn(client, corr)
      expect(answer.payload).toMatchObject({ approved })
      expect(verifyEnvelope(answer, { keys, nowMs: Date.now() })).toBe('verified')
      const { stdout } = await run(`envelope thread ${corr}`)
      expect(stdout).toMatch(/task approval\.request .*result approval\.request /s)
    }
  })

  test('without a key the page says so before and after, and who wants a signature opens nothing (SEAT-05, SEAT-11)', async () => {
    await using sitting = await servePage(browser)
    const { client, run } = sitting
    const { kid, keys } = await makeKey(run)
    await run(`keys revoke ${kid} --yes`)
    const worker = await hireWorker(client, { keys })

    const { corr, end } = worker.give(7)
    const card = await sitting.card()
    await card.getByText('Your answer will not be signed.').waitFor()
    await card.getByRole('button', { name: 'Approve' }).click()
    await card.getByRole('button', { name: 'Yes' }).click()
    await outcome(sitting, 'not signed')

    expect((await end).payload).toMatchObject({ code: 'E_REJECTED', message: 'The answer is not signed.' })
    expect(worker.opened).toEqual([])
    expect(verifyEnvelope(await answerIn(client, corr), { keys, nowMs: Date.now() })).toBe('unsigned')
  })

  test('a key that is revoked between the look and the yes signs nothing, and the outcome says so (SEAT-05)', async () => {
    await using sitting = await servePage(browser)
    const { client, run } = sitting
    const { kid } = await makeKey(run)
    const worker = await hireWorker(client)

    const { end } = worker.give(7)
    const card = await sitting.card()
    await card.getByText('Your answer will be signed.').waitFor()
    await run(`keys revoke ${kid} --yes`)
    await card.getByRole('button', { name: 'Approve' }).click()
    await card.getByRole('button', { name: 'Yes' }).click()
    await outcome(sitting, 'not signed')

    expect((await end).type).toBe('result')
    await vi.waitFor(() => expect(worker.opened).toEqual([7]))
  })
})
