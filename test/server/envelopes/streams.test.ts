/**
 * Who hears an envelope: entities of sessions and of streams, channels, mailboxes, people.
 */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { validFrame } from '../../support/frames.ts'
import { listenFor, nextEnvelope, sendEnvelope, validEnvelope } from '../../support/envelopes.ts'
import { openStream, request } from '../../support/http.ts'
import { SharedDaemon } from '../shared-daemon.ts'

const shared = new SharedDaemon()

const channel = (): string => `bus.${randomUUID()}`
const idOf = (text: string): unknown => JSON.parse(text).id

async function send(changes: Readonly<Record<string, unknown>>, token?: string) {
  const envelope = validEnvelope(changes)
  const { status, body } = await sendEnvelope(shared.socket, envelope, token)
  return { ...body, status, envelope }
}

test('an envelope is one block: id, event, data on one line (docs/http.md §6, SSE-12)', async () => {
  const to = channel()
  using stream = await listenFor(shared.socket, to)
  const { event_id: eventId, envelope } = await send({ to, payload: { s: 'a\nid: x\n\ndata: y\r\u2028' } })
  await stream.next('aee_envelope')

  expect(stream.body()).toContain(
    `\n\nid: ${eventId}\nevent: aee_envelope\ndata: ${JSON.stringify(envelope)}\n\n`,
  )
})

test('a channel reaches all of its subscribers, once each, and nobody else (AEQ-20, AEE-C21)', async () => {
  const [to, other] = [channel(), channel()]
  const session = await shared.register({ entities: [to] })
  using _registered = await shared.listen(session)
  using first = await shared.listen(session)
  using second = await listenFor(shared.socket, `${to},${other},${to}`)
  using third = await listenFor(shared.socket, other)
  using nobody = await shared.listen(undefined)

  const sent = await send({ to })
  const probe = await send({ to: other })
  await shared.post('/v1/frames', { frame: validFrame() })

  expect(sent).toMatchObject({ recipient_count: 3, queued_count: 0 })
  expect(probe.recipient_count).toBe(2)
  expect(idOf(await nextEnvelope(first))).toBe(sent.id)
  expect([idOf(await nextEnvelope(second)), idOf(await nextEnvelope(second))]).toEqual([sent.id, probe.id])
  expect(idOf(await nextEnvelope(third))).toBe(probe.id)
  expect((await nobody.next()).event).toBe('agent_frame')
})

test.each(['agent.*', 'bus.*', '*', '~alice/*', 'AGENT.x', 'agent.x ', 'bus'])(
  'the entity "%s" is only itself: nothing is expanded, folded or trimmed (AEQ-20, AEE-C20)',
  async (name) => {
    using stream = await listenFor(shared.socket, name)
    using plain = await listenFor(shared.socket, 'agent.x,bus.x')

    const literal = await send({ to: name })
    const other = await send({ to: 'agent.x' })

    expect([literal.status, literal.recipient_count, other.recipient_count]).toEqual([200, 1, 1])
    expect(idOf(await nextEnvelope(stream))).toBe(literal.id)
    expect(idOf(await nextEnvelope(plain))).toBe(other.id)
  },
)

test.each(['agent.ünï-😀', 'agent.with space', 'a/b%2Fc', '{"json":1}', 'a'.repeat(256)])(
  'the entity "%s" hears (AEE-032)',
  async (name) => {
    using stream = await listenFor(shared.socket, name)
    const session = await shared.register({ mailbox: true, entities: [name] })

    const sent = await send({ to: name })

    expect([sent.recipient_count, sent.queued_count]).toEqual([1, 1])
    expect(idOf(await nextEnvelope(stream))).toBe(sent.id)
    const { body } = await shared.post('/v1/inbox/drain', {}, session.token)
    expect(body.items).toHaveLength(1)
  },
)

test('what a stream names it hears from then on, and no longer than it is open (docs/http.md §6)', async () => {
  const to = channel()
  const before = await send({ to })
  const stream = await listenFor(shared.socket, to)
  const during = await send({ to })
  expect(idOf(await nextEnvelope(stream))).toBe(during.id)
  stream[Symbol.dispose]()

  expect(before.recipient_count).toBe(0)
  await expect.poll(async () => (await send({ to })).recipient_count).toBe(0)
})

test('Last-Event-ID and after= resume the envelopes a stream names, replay=n shows the newest n (docs/http.md §6, R-15, R-17)', async () => {
  const to = channel()
  const sent: Awaited<ReturnType<typeof send>>[] = []
  for (let i = 0; i < 5; i += 1) {
    sent.push(await send({ to }))
    await send({ to: 'bus.noise' })
    await shared.post('/v1/frames', { frame: validFrame('peer_diagnostic_response') })
  }
  const read = async (query: string, header?: string) => {
    const headers = header === undefined ? {} : { 'last-event-id': header }
    using stream = await listenFor(shared.socket, to, { query: `&filter=kind:agent_query${query}`, headers })
    const last = await send({ to })
    for (;;) if (idOf(await nextEnvelope(stream)) === last.id) break
    sent.push(last)
    return stream.events.filter(({ event }) => event === 'aee_envelope').map(({ data }) => idOf(data))
  }
  const idsFrom = (start: number) => sent.slice(start).map(({ id }) => id)

  expect(await read('')).toEqual(idsFrom(5))
  expect(await read('', sent[1]?.event_id)).toEqual(idsFrom(2))
  expect(await read(`&after=${sent[3]?.event_id}`)).toEqual(idsFrom(4))
  expect(await read('&replay=3')).toEqual(idsFrom(5))
  expect(await read('&replay=0')).toEqual(idsFrom(9))
})

test('a session that comes back with its cursor misses nothing, and gets nothing twice (R-15)', async () => {
  const to = channel()
  const session = await shared.register({ entities: [to] })
  const stream = await shared.listen(session)
  const first = await send({ to })
  await nextEnvelope(stream)
  stream[Symbol.dispose]()
  await expect
    .poll(
      async () => (await send({ to: 'bus.noise' })) && (await shared.get('/v1/health')).body.subscriptions,
    )
    .toBe(0)
  const missed = [await send({ to }), await send({ to })]

  using again = await openStream(shared.socket, '/v1/handles/~alice/stream', {
    token: session.token,
    headers: { 'last-event-id': first.event_id },
  })
  const live = await send({ to })

  const got = [await nextEnvelope(again), await nextEnvelope(again), await nextEnvelope(again)].map(idOf)
  expect(got).toEqual([...missed, live].map(({ id }) => id))
})

test('a filter on kinds leaves out what a session hears anyway, never what the stream named itself; it waits in the mailbox then (docs/http.md §6)', async () => {
  const [own, named] = [channel(), channel()]
  const session = await shared.register({ mailbox: true, entities: [own] })
  using stream = await shared.listen(session, `?filter=kind:agent_query&entities=${named}`)

  const toOwn = await send({ to: own })
  const toNamed = await send({ to: named })
  const { body } = await shared.post('/v1/inbox/drain', {}, session.token)

  expect(toOwn).toMatchObject({ recipient_count: 0, queued_count: 1 })
  expect(toNamed).toMatchObject({ recipient_count: 1, queued_count: 0 })
  expect(idOf(await nextEnvelope(stream))).toBe(toNamed.id)
  expect(body.items.map((item: { envelope: { id: string } }) => item.envelope.id)).toEqual([toOwn.id])
})

test('filters on sender and tool hold for envelopes as they do for frames (docs/http.md §6)', async () => {
  const to = channel()
  const codex = await shared.register({ tool: 'codex', entities: ['agent.codex'] })
  using stream = await listenFor(shared.socket, to, { query: '&filter=sender:~alice,tool:codex' })
  using never = await listenFor(shared.socket, to, { query: '&filter=sender:~bob' })

  const principal = await send({ to })
  const session = await send({ to, from: 'agent.codex' }, codex.token)

  expect([principal.recipient_count, session.recipient_count]).toEqual([0, 1])
  expect(idOf(await nextEnvelope(stream))).toBe(session.id)
  expect(never.events).toEqual([])
})

test('what nobody streams waits in every mailbox of the entity, in order with frames, and each hands it over once (docs/http.md §7)', async () => {
  const name = `agent.${randomUUID()}`
  const [one, two] = [
    await shared.register({ mailbox: true, entities: [name] }),
    await shared.register({ mailbox: true, entities: [name, 'bus.unrelated'] }),
  ]
  const none = await shared.register({ entities: [name] })

  const sent = await send({ to: name })
  const frame = await shared.post('/v1/frames', { frame: validFrame() })
  const drain = async (token: string) => (await shared.post('/v1/inbox/drain', {}, token)).body.items

  expect(sent).toMatchObject({ recipient_count: 0, queued_count: 2 })
  for (const { token } of [one, two]) {
    expect((await drain(token)).map((item: { event_id: string }) => item.event_id)).toEqual([
      sent.event_id,
      frame.body.event_id,
    ])
    expect(await drain(token)).toEqual([])
  }
  expect((await shared.get('/v1/inbox/wait?timeout_ms=1', none.token)).status).toBe(404)
})

test('an inbox wait ends when an envelope comes (docs/http.md §7)', async () => {
  const to = channel()
  const session = await shared.register({ mailbox: true, entities: [to] })
  await shared.post('/v1/inbox/drain', { max_items: 1_000 }, session.token)
  const waiting = shared.get('/v1/inbox/wait?timeout_ms=30000', session.token)
  await send({ to })

  expect((await waiting).body).toEqual({ unread: 1 })
})

test('a session does not find its own envelopes in its inbox, and hears itself on a stream (docs/http.md §7)', async () => {
  const to = channel()
  const session = await shared.register({ mailbox: true, entities: ['agent.loud', to] })
  const quiet = await send({ to, from: 'agent.loud' }, session.token)
  const { body } = await shared.post('/v1/inbox/drain', {}, session.token)
  using stream = await shared.listen(session)
  const heard = await send({ to, from: 'agent.loud' }, session.token)

  expect([quiet.queued_count, body.items]).toEqual([0, []])
  expect(idOf(await nextEnvelope(stream))).toBe(heard.id)
})

test('a session that is updated hears for what it now registered, and its mailbox goes on (docs/http.md §§4, 9)', async () => {
  const [before, after] = [channel(), channel()]
  const session = await shared.register({ mailbox: true, entities: [before] })
  using stream = await shared.listen(session)
  const update = { instrument: 'cc-opus-4-6', session_id: session.session_id, entities: [after] }
  expect((await shared.post('/v1/sessions', update, session.token)).status).toBe(200)

  const old = await send({ to: before })
  const now = await send({ to: after })

  expect([old.status, old.recipient_count, now.recipient_count]).toEqual([200, 0, 1])
  expect(idOf(await nextEnvelope(stream))).toBe(now.id)
  const self = await shared.get('/v1/sessions/self', session.token)
  expect(self.body.entities).toEqual([after])
})

test('a person hears and speaks through a session of their own (AEQ-21, AEE-034)', async () => {
  const person = await shared.register({ tool: 'human', entities: ['human.adam'] })
  using stream = await shared.listen(person)

  const asked = await send({ to: 'human.adam', requires: { human_approval: true } })
  const answered = await send(
    { type: 'result', from: 'human.adam', to: 'agent.sender', corr: asked.envelope.corr, reply_to: asked.id },
    person.token,
  )

  expect(idOf(await nextEnvelope(stream))).toBe(asked.id)
  expect([answered.status, answered.warnings]).toEqual([200, []])
})

test('thousands of envelopes come through whole and in order among frames (R-12, R-15)', async () => {
  const to = channel()
  using stream = await listenFor(shared.socket, to)
  const ids: unknown[] = []
  for (let round = 0; round < 20; round += 1) {
    const batch = Array.from({ length: 50 }, (_, i) =>
      validEnvelope({ to, payload: { x: 'y'.repeat(i * 200) } }),
    )
    ids.push(...batch.map(({ id }) => id))
    await request(shared.socket, '/v1/envelopes', {
      body: batch.map((one) => `${JSON.stringify(one)}\n`).join(''),
      headers: { 'content-type': 'application/x-ndjson' },
    })
    await shared.post('/v1/frames', { frame: validFrame() })
  }
  const got: unknown[] = []
  for (let i = 0; i < ids.length; i += 1) got.push(idOf(await nextEnvelope(stream)))

  expect(got).toEqual(ids)
  const places = stream.events.map(({ id }) => Number(id?.split('-')[1]))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
})
