/** What is retained, frames and envelopes in one sequence, paged and searched (W-2), and forgotten by item (W-8). */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { validEnvelope } from '../support/envelopes.ts'
import { validFrame, validPayload } from '../support/frames.ts'
import { request } from '../support/http.ts'
import { SharedDaemon } from './shared-daemon.ts'

const shared = new SharedDaemon()

/** What a session asks a person to decide. */
const DECISION = validPayload('agent_binding_moment')

/** The ids of the items of a page. */
async function idsOf(query: string): Promise<string[]> {
  const { body } = await shared.get(`/v1/events${query}`)
  return body.items.map((item: { event_id: string }) => item.event_id)
}

async function say(text: string, scope?: string): Promise<string> {
  const frame = validFrame('agent_broadcast', {
    payload: { broadcast_text: text, event_class: 'other' },
  })
  const { body } = await shared.post('/v1/frames', { recipient_scope: scope, frame })
  return body.event_id
}

async function tell(corr: string): Promise<string> {
  const envelope = validEnvelope({ to: 'bus.ops', corr, ts: new Date().toISOString() })
  return (await shared.post('/v1/envelopes', envelope)).body.event_id
}

test('pages go backwards from the newest and forwards from a place, frames and envelopes alike (W-2)', async () => {
  const ids = [await say('one'), await tell(randomUUID()), await say('three'), await say('four')]

  const newest = await shared.get('/v1/events?limit=2')
  const older = await shared.get(`/v1/events?limit=2&before=${newest.body.next}`)
  const forwards = await shared.get(`/v1/events?limit=2&after=${ids[0]}`)

  expect(newest.body.items.map((item: { event_id: string }) => item.event_id)).toEqual([ids[3], ids[2]])
  expect(older.body.items.map((item: { event_id: string }) => item.event_id)).toEqual([ids[1], ids[0]])
  expect(older.body.items[0]).toMatchObject({ scope: 'bus.ops', effective_priority: 'normal', late: false })
  expect(forwards.body).toMatchObject({
    items: [{ event_id: ids[1] }, { event_id: ids[2], recipient_count: 0, sender: null }],
    next: ids[2],
  })
})

test('every parameter narrows: kind, sender, session, workflow and text (W-2)', async () => {
  const { address, token } = await shared.register({ mailbox: true })
  const corr = randomUUID()
  const word = randomUUID()
  const own = await shared.post('/v1/verbs/agent_advise', { text: `Own ${word.toUpperCase()}` }, token)
  const to = await say(`for it ${word}`, address)
  const envelope = await tell(corr)

  expect(await idsOf(`?text=${word}`)).toEqual([to, own.body.event_id])
  expect(await idsOf(`?text=${word}&kind=agent_advisory,agent_query`)).toEqual([own.body.event_id])
  expect(await idsOf(`?sender=${encodeURIComponent(address)}`)).toEqual([own.body.event_id])
  expect(await idsOf(`?text=${word}&sender=~alice`)).toEqual([to, own.body.event_id])
  expect(await idsOf(`?session=${encodeURIComponent(address)}`)).toEqual([to, own.body.event_id])
  expect(await idsOf(`?corr=${corr}`)).toEqual([envelope])
  expect(await idsOf('?kind=aee_envelope&limit=1')).toEqual([envelope])
  expect(await idsOf('?text=broadcast_text')).toEqual([])
})

test('one item has its receipts, and what is none is not found (W-2)', async () => {
  const { address } = await shared.register({ mailbox: true })
  const id = await say('hello', address)

  const one = await shared.get(`/v1/events/${id}`)
  const future = await shared.get(`/v1/events/${id.split('-')[0]}-999999`)
  const gone = await request(shared.socket, `/v1/frames?event_id=${id}`, { method: 'DELETE' })
  const after = await shared.get(`/v1/events/${id}`)

  expect(one.body).toMatchObject({ event_id: id, scope: address, receipts: [{ address, state: 'queued' }] })
  expect(future).toMatchObject({ status: 400, body: { code: 'field-invalid', field: 'event_id' } })
  expect(gone.body).toEqual({ forgotten: 1 })
  expect(after).toMatchObject({ status: 404, body: { code: 'not-found', field: 'event_id' } })
})

test('a workflow is forgotten whole, and nothing else; a place that is none is refused (W-8)', async () => {
  const corr = randomUUID()
  const [before, one, two] = [await say('stays'), await tell(corr), await tell(corr)]

  const forgotten = await request(shared.socket, `/v1/frames?corr=${corr}`, { method: 'DELETE' })
  const wrong = await request(shared.socket, '/v1/frames?event_id=a-1', { method: 'DELETE' })

  expect(forgotten.body).toEqual({ forgotten: 2 })
  expect(wrong).toMatchObject({ status: 400, body: { code: 'field-invalid', field: 'event_id' } })
  expect(await idsOf(`?after=${before}`)).not.toEqual(expect.arrayContaining([one, two]))
  expect((await shared.get(`/v1/events/${before}`)).status).toBe(200)
})

test('two cursors at once, and words that are too long, are refused (W-2)', async () => {
  const id = await say('here')

  const both = await shared.get(`/v1/events?before=${id}&after=${id}`)
  const fits = await shared.get(`/v1/events?text=${'x'.repeat(256)}`)
  const long = await shared.get(`/v1/events?text=${'x'.repeat(257)}`)

  expect(both).toMatchObject({ status: 400, body: { code: 'field-invalid', field: 'before' } })
  expect([fits.status, long.status]).toEqual([200, 400])
})

test('an answer to a decision goes to the session that asked for it, and to everybody where nobody did (W-7)', async () => {
  const asker = await shared.register({ mailbox: true })
  const other = await shared.register({ mailbox: true })
  const decide = { recipient_scope: asker.address, ...DECISION }
  const asked = await shared.post('/v1/verbs/agent_decide', decide, asker.token)

  const answer = { query_id: asked.body.frame_id, text: 'option: keep it' }
  const answered = await shared.post('/v1/verbs/agent_respond', answer, other.token)
  const stray = await shared.post('/v1/verbs/agent_respond', { ...answer, query_id: randomUUID() })

  const passed = async (id: string): Promise<string> => (await shared.get(`/v1/events/${id}`)).body.scope
  expect(asked.status).toBe(200)
  expect(await passed(answered.body.event_id)).toBe(asker.address)
  expect(answered.body.queued_count).toBe(1)
  expect(await passed(stray.body.event_id)).toBe('~alice/*')
})
