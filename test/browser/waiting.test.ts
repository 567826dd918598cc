/** Sessions that cannot go on, on a real daemon: blocked, and at a prompt of their own (SEAT-08, SEAT-10). */
import { randomUUID } from 'node:crypto'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCheckout, startSession } from '../runtimes/support/sessions.ts'
import { findChromium } from '../support/needs.ts'
import { launch } from './support/browser.ts'
import { heard, sit } from './support/sitting.ts'

const chromium = findChromium()

const TO_THE_PERSON = '~alice/human*'

describe.runIf(chromium !== undefined)('who waits', { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(chromium)
  })
  afterAll(() => browser.close())

  test('a session that is blocked is answered, and the card goes (SEAT-08, SEAT-21)', async () => {
    await using sitting = await sit(browser)
    const { page, client, errors } = sitting
    const session = await client.session({ instrument: 'cc-opus', sessionId: 's1', mailbox: true })
    const diagnosticId = randomUUID()
    const ask = (severity: 'blocked' | 'degraded', symptom: string): Promise<unknown> =>
      session.send({
        kind: 'peer_diagnostic_request',
        payload: { symptom, diagnostic_id: diagnosticId, substrate_refs: ['ci'], severity },
        scope: TO_THE_PERSON,
      })
    await ask('degraded', 'The build is slow.')
    await ask('blocked', 'The build hangs.')
    const card = page.locator('[data-type=diagnostic]')
    await card.waitFor()
    await heard(page)
    expect(await card.innerText()).toContain('The build hangs.')
    await card.getByRole('button', { name: 'Answer' }).click()
    await page.keyboard.type('The disk is full.')
    await page.keyboard.press('Control+Enter')
    await card.locator('.outcome', { hasText: 'Sent to 1 session' }).waitFor()
    await session.inbox.wait(10_000)

    const { items } = await session.inbox.drain()
    expect(items.map((item) => JSON.stringify(item))).toEqual([expect.stringContaining('The disk is full.')])
    expect((await client.needs()).needs).toEqual([])
    await page.getByText('Nothing needs you.').waitFor({ timeout: 15_000 })
    expect(errors).toEqual([])
  })

  test('a session at its own prompt shows while it waits there, with what it asks, and cannot be answered (SEAT-10)', async () => {
    await using checkout = await createCheckout()
    await using sitting = await sit(browser)
    const { page, seat, errors } = sitting
    await using session = startSession(seat.daemon.env, checkout.main)
    await session.hook('session-start')
    await session.hook('prompt')
    await page.locator('.here-line[data-mark="●"]').waitFor()
    expect(await page.locator('[data-type=prompt]').count()).toBe(0)

    await session.hook('notice')
    const card = page.locator('[data-type=prompt]')
    await card.getByText('Claude needs your permission').waitFor()
    await page.locator('.here-line[data-mark="▲"]', { hasText: 'waits at its own prompt' }).waitFor()
    expect(await card.innerText()).toContain('Answer it only where that session runs.')
    expect(await card.innerText()).toContain('main')
    expect(await card.getByRole('button').count()).toBe(0)

    await session.hook('after-tool')
    await card.waitFor({ state: 'detached' })
    await session.hook('turn-end')
    await page.locator('.here-line[data-mark="○"]').waitFor()
    expect(await card.count()).toBe(0)
    expect(errors).toEqual([])
  })
})
