/** A page that looks on: what it is shown, who it makes present, and how it ends (SEAT-01, SEAT-02, SEAT-16, SEAT-19). */
import { expect, test } from 'vitest'
import { LINGER_MS } from '../../../src/ui/serve/upstream/presence.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { agentd, startAgentd } from '../../cli/support.ts'
import { post } from '../../support/http.ts'
import { within } from '../../support/within.ts'
import { openPage, openSeat, type TestSeat } from './support.ts'

/** The payloads of the questions that have passed. */
function questionsIn(text: string): readonly Readonly<Record<string, unknown>>[] {
  const passed = text.split('\n\n').filter((event) => event.includes('event: agentd_passed'))
  return passed.flatMap((event) => {
    const { frame } = JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '{}')
    return frame?.kind === 'agent_query' ? [frame.payload] : []
  })
}

/** What a question to the person would reach. */
async function reached(seat: TestSeat): Promise<number> {
  const question = { text: 'may I?', recipient_scope: '~alice/human*' }
  return (await post(seat.daemon.socket, '/v1/verbs/agent_query', question)).body.recipient_count
}

/** Asks until it is so many; the runner's own bound ends it. */
async function untilReached(seat: TestSeat, wanted: number): Promise<void> {
  while ((await reached(seat)) !== wanted);
}

test('while a page is open the person is there, and counts once however many there are (SEAT-01, SEAT-02)', async () => {
  const clock = new FakeClock()
  await using seat = await openSeat({ clock })
  const token = await seat.signIn()
  expect(await reached(seat)).toBe(0)

  const [one, other] = [await openPage(seat, token), await openPage(seat, token)]
  await one.until('event: agentd_snapshot')
  await untilReached(seat, 1)
  await one.until('may I?')
  await other.until('may I?')
  one.close()
  clock.advance(LINGER_MS)
  expect(await reached(seat)).toBe(1)
  other.close()
  await within(
    (async () => {
      // The end of a connection is heard when it is heard; from then on it is five seconds.
      while ((await reached(seat)) !== 0) clock.advance(LINGER_MS)
    })(),
    'the end of the session',
  )

  expect(one.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'x-frame-options': 'DENY',
  })
})

test('`agentd ask` waits while a page is open and is answered from it, and fails at once while none is (SEAT-02)', async () => {
  await using seat = await openSeat()
  const { env } = seat.daemon
  const token = await seat.signIn()
  const question = ['ask', 'may I push?', '--scope', '~alice/human*']

  const nobody = await agentd(env, question)
  const page = await openPage(seat, token)
  await page.until('event: agentd_snapshot')
  await untilReached(seat, 1)
  await using asker = startAgentd(env, question.with(1, 'may I pull?'))
  await page.until('"query_text":"may I pull?"')
  const queryId = questionsIn(page.text()).find(({ query_text: text }) => text === 'may I pull?')?.[
    'query_id'
  ]
  const said = await seat.ask('/v1/verbs/agent_respond', {
    token,
    json: { query_id: queryId, text: 'yes, with a lease' },
  })
  const answered = await within(asker.ended, 'the end of the question')

  expect(nobody.code).toBe(3)
  expect(said.body).toMatchObject({ recipient_count: 1 })
  expect(answered).toMatchObject({ code: 0, stdout: expect.stringContaining('yes, with a lease') })
})

test('a page goes on where it was, by the id it says (SEAT-19)', async () => {
  await using seat = await openSeat()
  const token = await seat.signIn()
  const say = async (text: string): Promise<string> =>
    (await post(seat.daemon.socket, '/v1/verbs/agent_advise', { text })).body.event_id

  const first = await say('the first')
  await say('the second')
  const page = await openPage(seat, token, { lastEventId: first })
  await say('the third')
  await page.until('the third')

  expect(page.text()).toContain('the second')
  expect(page.text()).not.toContain('the first')
})

test('a fifth page is told that there are four, unless it takes the place of one (SEAT-19)', async () => {
  await using seat = await openSeat()
  const token = await seat.signIn()
  const pages = [await openPage(seat, token), await openPage(seat, token)]
  pages.push(await openPage(seat, token), await openPage(seat, token))
  for (const page of pages) await page.until('event: agentd_snapshot')

  const fifth = await seat.ask('/v1/watch', { token })
  const taken = await openPage(seat, token, { query: '?take=1&replay=0' })
  await pages[0]!.ended()
  await taken.until('event: agentd_snapshot')

  expect(fifth).toMatchObject({ status: 429, body: { code: 'too-many-pages', retry_after_ms: 5_000 } })
  expect(pages[0]!.text()).toContain('event: agentd_seat\ndata: {"what":"taken"}\n\n')
  expect(pages[1]!.text()).not.toContain('agentd_seat')
})

test('signing out ends the streams of that browser, with a word (SEAT-16)', async () => {
  await using seat = await openSeat()
  const [one, other] = [await seat.signIn(), await seat.signIn()]
  const [mine, theirs] = [await openPage(seat, one), await openPage(seat, other)]
  await mine.until('event: agentd_snapshot')
  await theirs.until('event: agentd_snapshot')

  await seat.ask('/logout', { token: one, json: {} })
  await mine.ended()
  await post(seat.daemon.socket, '/v1/verbs/agent_advise', { text: 'still here' })

  expect(mine.text()).toContain('{"what":"signed-out"}')
  await theirs.until('still here')
})

test('the end of the daemon is the end of the stream, and then there is no daemon (SEAT-19)', async () => {
  await using seat = await openSeat()
  const token = await seat.signIn()
  const page = await openPage(seat, token)
  await page.until('event: agentd_snapshot')

  await seat.daemon.stop('SIGKILL')
  await page.ended()

  expect(await seat.ask('/v1/watch', { token })).toMatchObject({ status: 503, body: { code: 'daemon-gone' } })
  expect((await seat.ask('/hello?nonce=0123456789abcdef')).body.proofs).toHaveLength(1)
})

test('a page that is open keeps the process, and its end is idle again (SEAT-18)', async () => {
  const clock = new FakeClock()
  await using seat = await openSeat({ clock, idleMs: 10_000 })
  const token = await seat.signIn()
  const page = await openPage(seat, token)
  await page.until('event: agentd_snapshot')

  clock.advance(60_000)
  expect(seat.process.ending.aborted).toBe(false)
  page.close()
  await within(
    (async () => {
      while (!seat.process.ending.aborted) {
        clock.advance(10_000)
        await new Promise((resolve) => void setImmediate(resolve))
      }
    })(),
    'an idle process',
  )

  expect(seat.process.ending.reason).toBe('idle')
})
