/** Workflows on the page, on a real daemon (W-5, SEAT-25). */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hireWorker } from '../support/approvals.ts'
import { sendEnvelope, validEnvelope } from '../support/envelopes.ts'
import { findChromium } from '../support/needs.ts'
import { findViolations, launch } from './support/browser.ts'
import { servePage, type ServedPage } from './support/served-page.ts'

const chromium = findChromium()

const CORR = 'nightly-audit'

async function say({ socket }: ServedPage, changes: object): Promise<void> {
  const { status } = await sendEnvelope(socket, validEnvelope({ corr: CORR, ...changes }))
  expect(status).toBe(200)
}

const BACK = { from: 'agent.doer', to: 'bus.ops' }

/** A workflow with everything that is marked: a late result, a refuted one, an error, a task that stays open. */
async function work(sitting: ServedPage): Promise<void> {
  const payload = { id: 'result-01', reason: 'it read the wrong log' }
  const refute = { to: 'service.agentd', intent: 'aee.context.refute', reply_to: 'result-01', payload }
  const failed = { code: 'E_BROKEN', message: 'no' }
  for (const changes of [
    { id: 'task-0001' },
    { id: 'stream-01', type: 'stream', reply_to: 'task-0001', ...BACK },
    { id: 'result-01', type: 'result', reply_to: 'task-0001', ...BACK },
    { id: 'result-02', type: 'result', reply_to: 'task-0001', ...BACK },
    { id: 'task-0002', reply_to: 'result-01', from: 'agent.doer', intent: 'ops.<b>\u202edeploy' },
    { id: 'error-01', type: 'error', reply_to: 'task-0002', payload: failed },
    { id: 'task-0003', intent: 'ops.restore.run' },
    { id: 'refute-01', ...refute },
  ])
    await say(sitting, changes)
}

async function showThreads({ page }: ServedPage): Promise<void> {
  for (const key of ['g', 't']) await page.keyboard.press(key)
}

async function openThread({ page }: ServedPage, corr = CORR): Promise<void> {
  await page.locator('.lines button', { hasText: corr }).press('Enter')
  await page.getByRole('button', { name: 'Tree' }).click()
  await page.waitForSelector('.tree li')
}

describe.runIf(chromium !== undefined)('workflows on the page', { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(chromium)
  })
  afterAll(() => browser.close())

  test('a workflow is a tree and a sequence, with what came late and what was refuted marked, and its diagram is the command’s (SEAT-25, SEAT-27)', async () => {
    await using sitting = await servePage(browser)
    const { page, errors, run } = sitting
    await work(sitting)
    await showThreads(sitting)
    await page.locator('.lines button', { hasText: CORR }).waitFor()
    for (const key of ['j', 'Enter']) await page.keyboard.press(key)
    // The daemon's own answer comes behind what it answers, and may be painted after the rest.
    await page.locator('.tree li').nth(8).waitFor()

    const tree = await page.locator('.tree li').allInnerTexts()
    const levels = await page
      .locator('.tree li')
      .evaluateAll((lines) => lines.map((line) => line.getAttribute('aria-level')))
    expect(tree.map((line) => line.replace(/^[\d:]+ (?:└ )?/, '').replaceAll(/ \+[\d.]+m?s/g, ''))).toEqual([
      'agent.sender → bus.ops task ops.backup.check',
      'agent.doer → bus.ops stream ops.backup.check',
      'agent.doer → bus.ops result ops.backup.check · refuted by agent.sender: it read the wrong log',
      'agent.doer → bus.ops task ops.<b>U+202Edeploy',
      'agent.sender → bus.ops error ops.backup.check · E_BROKEN',
      'agent.sender → service.agentd task aee.context.refute',
      'service.agentd → agent.sender result aee.context.refute',
      'agent.doer → bus.ops result ops.backup.check · [late]',
      'agent.sender → bus.ops task ops.restore.run · open · nobody was listening',
    ])
    expect(levels).toEqual(['1', '2', '2', '3', '4', '3', '4', '2', '1'])
    expect(await page.innerText('.detail .facts')).toMatch(/^9 envelopes, 1 task open, /)

    await page.getByRole('button', { name: 'Sequence' }).click()
    expect(await page.locator('.sequence thead th').allInnerTexts()).toEqual([
      'At',
      'agent.sender',
      'bus.ops',
      'agent.doer',
      'service.agentd',
    ])
    expect(await page.locator('.sequence .arrow').allInnerTexts()).toMatchObject([
      expect.stringMatching(/^task ops\.backup\.check →$/),
      expect.stringMatching(/^← stream /),
      expect.stringMatching(/^← result .*refuted by/s),
      expect.stringMatching(/^← result .*\[late\]$/),
      expect.stringMatching(/^← task /),
      expect.stringMatching(/^error .* →$/),
      expect.stringMatching(/^task ops\.restore\.run .* →$/),
      expect.stringMatching(/^task aee\.context\.refute .* →$/),
      expect.stringMatching(/^← result aee/),
    ])

    await page.getByRole('button', { name: 'Mermaid' }).click()
    expect(await page.inputValue('textarea')).toBe((await run(`envelope thread ${CORR} --mermaid`)).stdout)
    expect(errors).toEqual([])
  })

  test('a workflow that grows is followed, and the list leaves those without an open task out when asked (SEAT-25)', async () => {
    await using sitting = await servePage(browser)
    const { page } = sitting
    await showThreads(sitting)
    await page.getByText('There are no threads of envelopes yet.').waitFor()
    await say(sitting, { id: 'task-0001' })
    await openThread(sitting)
    await page.locator('.lines', { hasText: '1 envelope · 1 task open' }).waitFor()
    await say(sitting, { id: 'result-01', type: 'result', reply_to: 'task-0001', ...BACK })
    await page.locator('.tree li', { hasText: 'result' }).waitFor()
    await page.locator('.detail', { hasText: '2 envelopes, no task open' }).waitFor()
    await page.getByLabel('open only').check()
    await page.getByText('No thread has an open task.').waitFor()
    await say(sitting, { corr: 'schema-move' })
    await page.locator('.lines', { hasText: 'schema-move' }).waitFor()

    expect(await page.locator('.lines li').count()).toBe(1)
    await page.keyboard.press('Escape')
    await page.waitForSelector('.detail', { state: 'detached' })
  })

  test('a list that somebody is at keeps its order, and is put in order behind them (SEAT-22)', async () => {
    await using sitting = await servePage(browser)
    const { page } = sitting
    for (const corr of ['thread-one', 'thread-two']) await say(sitting, { corr })
    await showThreads(sitting)
    const lines = page.locator('.lines li')
    await lines.first().filter({ hasText: 'thread-two' }).hover()
    await say(sitting, { corr: 'thread-one' })
    await say(sitting, { corr: 'thread-new' })
    await lines.last().filter({ hasText: 'thread-new' }).waitFor()

    expect((await lines.allInnerTexts()).map((line) => /thread-\w+/.exec(line)?.[0])).toEqual([
      'thread-two',
      'thread-one',
      'thread-new',
    ])
    await page.hover('header.bar')
    await lines.first().filter({ hasText: 'thread-new' }).waitFor()
    await lines.last().filter({ hasText: 'thread-two' }).waitFor()
  })

  test('what waits in a workflow for a yes has its card there, and the worker does what was approved (SEAT-11, SEAT-25)', async () => {
    await using sitting = await servePage(browser)
    const { page, client } = sitting
    const worker = await hireWorker(client)
    const given = worker.give(7)
    await showThreads(sitting)
    await openThread(sitting, given.corr)
    const card = await sitting.card()
    await card.getByRole('button', { name: 'Approve' }).click()
    await page.keyboard.press('Enter')
    await page.locator('.tree .outcome', { hasText: 'Sent to 2 sessions.' }).waitFor()

    expect((await given.end).type).toBe('result')
    expect(worker.opened).toEqual([7])
    await page.locator('.tree li', { hasText: 'result approval.request' }).waitFor()
    await page.locator('.detail', { hasText: 'no task open' }).waitFor()
  })

  test.for([
    ['light', 1280],
    ['dark', 1280],
    ['light', 320],
    ['dark', 320],
  ] as const)(
    '%s at %i pixels: axe finds nothing in any shape of a workflow, and nothing scrolls sideways (SEAT-32)',
    async ([colorScheme, width]) => {
      await using sitting = await servePage(browser, { colorScheme, viewport: { width, height: 800 } })
      const { page, client } = sitting
      await showThreads(sitting)
      await page.getByText('There are no threads of envelopes yet.').waitFor()
      expect(await findViolations(page)).toEqual([])
      const worker = await hireWorker(client)
      const { corr, end } = worker.give(7)
      void end.catch(() => {})
      await work(sitting)
      await openThread(sitting)
      for (const shape of ['Tree', 'Sequence', 'Mermaid']) {
        await page.getByRole('button', { name: shape }).click()
        expect([shape, await findViolations(page)]).toEqual([shape, []])
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
      }
      await openThread(sitting, corr)
      await sitting.card()
      expect(await findViolations(page)).toEqual([])
    },
  )
})
