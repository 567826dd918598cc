/** A yes is for what was shown, whatever comes to stand there (SEAT-11). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Browser } from 'playwright-core'
import { prepareBusyMorning } from '../ui/support/scene.ts'
import { need, snapshot } from '../ui/support/wire.ts'
import { findChromium } from '../support/needs.ts'
import { launch, openPage, type OpenPage } from './support/browser.ts'
import { heard } from './support/sitting.ts'

const chromium = findChromium()

const outcome = ({ page }: OpenPage): Promise<void> =>
  page.locator('.card .outcome', { hasText: 'Sent to 1 session.' }).waitFor()

const sent = ({ seat }: OpenPage): readonly unknown[] =>
  seat.askedFor('/v1/envelopes').map(({ body }) => body)

describe.runIf(chromium !== undefined)('weighing an approval', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(chromium)
  })
  afterAll(() => browser.close())

  test('a yes is for the task that was weighed: where another one stands on the card by then, nothing goes (SEAT-11, SEAT-22)', async () => {
    const open = await openPage(browser, (seat) => prepareBusyMorning(seat, Date.now()))
    await open.page.waitForSelector('[data-need="a1"]')
    await heard(open.page)
    const { needs } = JSON.parse(JSON.stringify(open.seat.snapshot))
    const asked = needs.find(({ need_id: id }: { need_id: string }) => id === 'a1')
    const { envelope } = asked
    const other = `sha-256:${'cd'.repeat(32)}`
    const task = { ...envelope.payload.task, id: 'task-0002', hash: other }
    const card = open.page.locator('[data-need="a1"]')
    await card.getByRole('button', { name: 'Approve' }).click()
    await card.getByRole('button', { name: 'Yes' }).waitFor()
    open.seat.say('need', {
      change: 'changed',
      need: { ...asked, envelope: { ...envelope, payload: { ...envelope.payload, task } } },
    })
    await card.getByText(other).waitFor()
    await card.getByRole('button', { name: 'Yes' }).waitFor({ state: 'detached' })
    await open.page.keyboard.press('Enter')
    expect(sent(open)).toEqual([])
    await card.getByRole('button', { name: 'Approve' }).click()
    await card.getByRole('button', { name: 'Yes' }).click()
    await outcome(open)

    expect(sent(open)).toMatchObject([
      { payload: { approved: true, task: { id: 'task-0002', hash: other } } },
    ])
    await open.close()
  })

  test('an approval that a listing left out is fetched, and until it is there nothing can be approved (SEAT-11, SEAT-21)', async () => {
    const hash = `sha-256:${'ef'.repeat(32)}`
    const payload = {
      task: { id: 'task-0009', intent: 'ops.do', from: 'agent.boss', hash },
      summary: 'Do it',
    }
    const envelope = {
      id: 'ask-00009',
      from: 'agent.worker',
      intent: 'approval.request',
      corr: 'c9',
      payload,
    }
    let isThere = false
    const open = await openPage(browser, (seat) => {
      seat.snapshot = snapshot({ needs: [need('ask-00009', { type: 'approval', text: 'Do it' })] })
      seat.answers = ({ path }) => {
        if (!path.startsWith('/v1/events/')) return { status: 200, body: { recipient_count: 1 } }
        return isThere ? { status: 200, body: { event_id: 'e1-1', envelope } } : { status: 404, body: {} }
      }
    })
    const approve = open.page.getByRole('button', { name: 'Approve' })
    await approve.waitFor()
    expect(await approve.isDisabled()).toBe(true)
    isThere = true
    await open.page.reload()
    await open.page.getByText(hash).waitFor()
    await heard(open.page)
    await approve.click()
    await open.page.getByRole('button', { name: 'Yes' }).click()
    await outcome(open)

    expect(sent(open)).toMatchObject([
      { to: 'agent.worker', corr: 'c9', reply_to: 'ask-00009', payload: { task: { id: 'task-0009', hash } } },
    ])
    await open.close()
  })
})
