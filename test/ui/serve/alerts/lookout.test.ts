/** Who tells the person while no page is connected, and what that costs nobody (SEAT-02, SEAT-18, SEAT-41, SEAT-43). */
import { expect, test, vi } from 'vitest'
import type { NotifyWay } from '../../../../src/ui/serve/alerts/desktop.ts'
import type { Clock } from '../../../../src/core/clock.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { post, request } from '../../../support/http.ts'
import { silentLog } from '../../../support/silent-log.ts'
import { createTempDir } from '../../../support/temp-dir.ts'
import { openPage, openSeat } from '../support.ts'
import { installRecorder } from './recorder.ts'

const TO_THE_PERSON = '~alice/human*'
const TO_ANYONE = '~alice/*'

/** A page's process without a page, on a machine whose notifications are written down. */
async function openAlone(notify: NotifyWay) {
  const dir = await createTempDir()
  const recorder = installRecorder(dir, 'notify-send', 'console.log(7)')
  const time = new FakeClock()
  // The daemon says by the clock of the machine when something was asked.
  const clock: Clock = {
    nowMs: () => Date.now(),
    monotonicMs: () => time.monotonicMs(),
    after: (delayMs, callback) => time.after(delayMs, callback),
  }
  const warned: string[] = []
  const log = { ...silentLog, warn: (event: string) => void warned.push(event) }
  const desktop = { platform: 'linux', env: recorder.env }
  const seat = await openSeat({ notify, clock, log, desktop, idleMs: 3_600_000 })
  const { socket } = seat.daemon
  const closing = installRecorder(dir, 'gdbus')
  const told = (): readonly string[] =>
    recorder.calls().map((words) => words.slice(words.indexOf('--') + 1).join(': '))
  return {
    seat,
    time,
    warned,
    told,
    closed: () => closing.calls().length,
    async ask(text: string, scope = TO_THE_PERSON) {
      return (await post(socket, '/v1/verbs/agent_query', { text, recipient_scope: scope })).body
    },
    respond: (queryId: string) =>
      post(socket, '/v1/verbs/agent_respond', { query_id: queryId, text: 'yes', recipient_scope: TO_ANYONE }),
    roster: async () => (await request(socket, '/v1/handles/~alice/roster')).body.sessions,
    /** Lets time pass until that was told last; no faster than a busy daemon answers. */
    untilTold: (last: RegExp) =>
      vi.waitFor(
        () => {
          time.advance(1_000)
          expect(told().at(-1)).toMatch(last)
        },
        { timeout: 15_000, interval: 200 },
      ),
    async [Symbol.asyncDispose]() {
      await seat[Symbol.asyncDispose]()
      await dir[Symbol.asyncDispose]()
    },
  }
}

test('without a page the system tells of a question, and nobody is present for it (SEAT-02, SEAT-43)', async () => {
  await using alone = await openAlone('auto')
  const asked = await alone.ask('May I force-push?')
  await alone.untilTold(/force-push/)

  expect(alone.told()).toEqual([expect.stringMatching(/^.+ · question: May I force-push\?$/)])
  expect(asked).toMatchObject({ recipient_count: 0, queued_count: 0 })
  expect(await alone.roster()).toEqual([])
  expect(alone.warned).toEqual([])
})

test('what anyone may answer is told where it reached nobody, and what was answered meanwhile is not (SEAT-41)', async () => {
  await using alone = await openAlone('system')
  const session = { instrument: 'cc', session_id: 's1', tool: 'cc', mailbox: true }
  await post(alone.seat.daemon.socket, '/v1/sessions', session)
  await alone.ask('To somebody who is there', TO_ANYONE)
  const { query_id: answered } = await alone.ask('Answered at once')
  await alone.respond(String(answered))
  await alone.ask('The last')
  await alone.untilTold(/The last/)

  expect(alone.told()).toHaveLength(1)
})

test('while a page is connected the system is silent, and afterwards it tells what came since (SEAT-43)', async () => {
  await using alone = await openAlone('auto')
  await alone.ask('Before')
  await alone.untilTold(/Before/)
  const page = await openPage(alone.seat, await alone.seat.signIn())
  await page.until('agentd_snapshot')
  const { query_id: meanwhile } = await alone.ask('While it is there')
  await page.until('While it is there')
  alone.time.advance(60_000)
  await alone.respond(String(meanwhile))
  page.close()
  await page.ended()
  await alone.ask('After')
  await alone.untilTold(/After/)

  expect(alone.told().map((line) => line.replace(/.*: /, ''))).toEqual(['Before', 'After'])
})

test('a page that comes back after a reload tells it itself (SEAT-41)', async () => {
  await using alone = await openAlone('auto')
  const token = await alone.seat.signIn()
  const page = await openPage(alone.seat, token)
  await page.until('agentd_snapshot')
  page.close()
  await page.ended()
  const { query_id: between } = await alone.ask('In between')
  alone.time.advance(5_000)
  const again = await openPage(alone.seat, token)
  await again.until('In between')
  alone.time.advance(60_000)
  await alone.respond(String(between))
  again.close()
  await again.ended()
  await alone.ask('The last')
  await alone.untilTold(/The last/)

  expect(alone.told()).toHaveLength(1)
})

test('two hundred questions of one session are one notification (SEAT-41)', async () => {
  await using alone = await openAlone('auto')
  await Promise.all(Array.from({ length: 200 }, (_, at) => alone.ask(`Question ${at}`)))
  await alone.untilTold(/need you/)

  expect(alone.told()).toEqual([expect.stringMatching(/^200 need you: .+$/)])
})

test.for(['page', 'off'] as const)(
  'with "%s" the system tells of nothing, and nobody watches for it (SEAT-43)',
  async (notify) => {
    await using alone = await openAlone(notify)
    await alone.ask('May I?')
    const { text } = await request(alone.seat.daemon.socket, '/v1/metrics')
    alone.time.advance(60_000)

    expect(text).toMatch(/^agentd_streams_opened_total 0$/m)
    expect(alone.told()).toEqual([])
  },
)

test('the process ends as soon as without an eye on anything (SEAT-18)', async () => {
  await using alone = await openAlone('auto')
  await alone.ask('May I?')
  await alone.untilTold(/May I/)
  expect(alone.seat.process.ending.aborted).toBe(false)
  alone.time.advance(3_600_000)

  expect(alone.seat.process.ending.reason).toBe('idle')
})

test('with "system" a page that nobody sees does not keep the system from telling, and one that is seen does (SEAT-43)', async () => {
  await using alone = await openAlone('system')
  const token = await alone.seat.signIn()
  const see = (visible: unknown) => alone.seat.ask('/visible', { token, json: { visible } })
  const page = await openPage(alone.seat, token)
  await page.until('agentd_snapshot')
  const { query_id: seen } = await alone.ask('While it is seen')
  await page.until('While it is seen')
  alone.time.advance(60_000)
  await alone.respond(String(seen))
  expect(await see(false)).toMatchObject({ status: 200, body: { visible: false } })
  await alone.ask('While it is hidden')
  await alone.untilTold(/While it is hidden/)
  expect(alone.told()).toHaveLength(1)
  await see(true)

  await vi.waitFor(() => expect(alone.closed()).toBe(1), 15_000)
  expect(await see('yes')).toMatchObject({ status: 400, body: { code: 'field-invalid' } })
  page.close()
})

test('a notification of the system goes when what it tells of is settled (SEAT-41)', async () => {
  await using alone = await openAlone('auto')
  const { query_id: asked } = await alone.ask('May I?')
  await alone.untilTold(/May I/)
  expect(alone.closed()).toBe(0)
  await alone.respond(String(asked))

  await vi.waitFor(() => expect(alone.closed()).toBe(1), 15_000)
})
