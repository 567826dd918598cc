/** What a page asks of the daemon, and as whom (SEAT-01, SEAT-03, SEAT-05, SEAT-19). */
import { expect, test } from 'vitest'
import { validEnvelope } from '../../../support/envelopes.ts'
import { post, request } from '../../../support/http.ts'
import { openSeat, type TestSeat } from '../support.ts'

async function rosterOf(seat: TestSeat): Promise<readonly Record<string, unknown>[]> {
  return (await request(seat.daemon.socket, '/v1/handles/~alice/roster')).body.sessions
}

test('what is said from the page is said by the person’s session, and says so (SEAT-01, SEAT-05)', async () => {
  await using seat = await openSeat()
  const token = await seat.signIn()

  const claimed = { drafted_with: '~cc-opus', provenance: { basis: 'a test', method: ['measured'] } }
  const { status, body } = await seat.ask('/v1/verbs/agent_advise', {
    token,
    json: { text: 'hello', ...claimed },
  })

  expect(status).toBe(200)
  expect(body.frame).toMatchObject({
    sender_handle: '~alice',
    acted_by: '~alice',
    drafted_with: '~human',
    provenance_basis: 'person',
    provenance_method: ['measured'],
  })
  const [own, ...others] = await rosterOf(seat)
  expect(others).toEqual([])
  expect(own).toMatchObject({ instrument: 'human', tool: 'human', entities: ['human.alice'], mailbox: null })
})

test('the daemon’s refusals pass through, with its words (SEAT-03)', async () => {
  await using seat = await openSeat()
  const token = await seat.signIn()

  const unknown = await seat.ask('/v1/verbs/agent_advise', { token, json: { nonsense: 1 } })
  const query = await seat.ask('/v1/health?nonsense=1', { token })
  const receipts = await seat.ask('/v1/frames/00000000-0000-4000-8000-000000000000', { token })
  const list = await seat.ask('/v1/seen', { token, json: [] })

  expect(unknown).toMatchObject({ status: 400, body: { code: 'field-unknown', field: 'nonsense' } })
  expect(query).toMatchObject({ status: 400, body: { code: 'field-unknown' } })
  expect(receipts).toMatchObject({ status: 404, body: { code: 'not-found' } })
  expect(list).toMatchObject({ status: 400, body: { code: 'field-invalid' } })
})

test('an envelope is the person’s own or not sent (SEAT-05)', async () => {
  await using seat = await openSeat()
  const token = await seat.signIn()
  const envelope = validEnvelope({ from: 'human.alice', to: 'bus.ops' })
  const twice = JSON.stringify(envelope).replace('{', '{"from":"agent.x",')

  const own = await seat.ask('/v1/envelopes', { token, json: envelope })
  const foreign = await seat.ask('/v1/envelopes', {
    token,
    json: validEnvelope({ from: 'agent.x', to: 'bus.ops' }),
  })
  const double = await seat.ask('/v1/envelopes', {
    token,
    body: twice,
    headers: { 'content-type': 'application/json' },
  })

  expect(own).toMatchObject({ status: 200, body: { id: envelope.id } })
  expect(foreign).toMatchObject({ status: 403, body: { code: 'sender-identity-mismatch', field: 'from' } })
  expect(double).toMatchObject({ status: 400, body: { code: 'field-invalid' } })
})

test('forgetting is the person’s, not the session’s, also where a token is mandatory (SEAT-03)', async () => {
  await using seat = await openSeat()
  const token = await seat.signIn()
  await post(seat.daemon.socket, '/v1/verbs/agent_advise', { text: 'to be forgotten' })

  const { status, body } = await seat.ask('/v1/frames?kind=agent_advisory', { method: 'DELETE', token })

  expect([status, body]).toEqual([200, { forgotten: 1 }])
})

test('without a daemon a page is told so, and nothing is tried twice (SEAT-19)', async () => {
  await using seat = await openSeat()
  const token = await seat.signIn()
  await seat.ask('/v1/verbs/agent_advise', { token, json: { text: 'before' } })

  await seat.daemon.stop('SIGKILL')
  const health = await seat.ask('/v1/health', { token })
  const said = await seat.ask('/v1/verbs/agent_advise', { token, json: { text: 'meanwhile' } })

  expect(health).toMatchObject({ status: 503, body: { code: 'daemon-gone', retry_after_ms: 1_000 } })
  expect(said).toMatchObject({ status: 503, body: { code: 'daemon-gone' } })
  expect((await seat.ask('/')).status).toBe(200)
})
