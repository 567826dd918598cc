import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { sendEnvelope, validEnvelope } from '../support/envelopes.ts'
import { brokenFrame, validFrame } from '../support/frames.ts'
import { request } from '../support/http.ts'
import { EVENT_ID, ISO_TIME, SharedDaemon } from './shared-daemon.ts'
import { detailsBesides, HAS_SQLITE, WELL } from '../support/without-sqlite.ts'

const shared = new SharedDaemon()

test('health says what the daemon is and how it stands (docs/http.md §10)', async () => {
  const { status, headers, body } = await shared.get('/v1/health')

  expect(status).toBe(200)
  expect(headers['content-type']).toBe('application/json')
  expect(body).toEqual({
    status: WELL,
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    instance_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    pid: shared.daemon.pid,
    epoch: expect.stringMatching(/^[0-9a-f]{8}$/),
    principal: '~alice',
    started_at: expect.stringMatching(ISO_TIME),
    uptime_ms: expect.any(Number),
    sessions: expect.any(Number),
    waiting: 0,
    subscriptions: expect.any(Number),
    ring: {
      enabled: expect.any(Boolean),
      ack: expect.stringMatching(/^(memory|process|disk)$/),
      frames: expect.any(Number),
      bytes: expect.any(Number),
      oldest_event_id: null,
      newest_event_id: null,
      sqlite_version: body.ring.enabled ? expect.any(String) : null,
      synchronous: body.ring.enabled ? expect.any(String) : null,
      retention: {
        max_frames: 100_000,
        max_bytes: HAS_SQLITE ? 268_435_456 : 67_108_864,
        max_age_ms: 604_800_000,
      },
    },
    peer_credentials: expect.stringMatching(/^(checked|unavailable)$/),
    peer_processes: expect.stringMatching(/^(checked|unavailable)$/),
    memory: { waiting_bytes: expect.any(Number), max_waiting_bytes: 67_108_864 },
    details: expect.any(Array),
  })
  expect(detailsBesides(body.details)).toEqual([])
})

test('health counts sessions, streams and frames as they come (docs/http.md §10)', async () => {
  const session = await shared.register()
  using _stream = await shared.listen(session)
  await shared.post('/v1/verbs/agent_advise', { text: 'x' })

  const { body } = await shared.get('/v1/health')

  expect(body).toMatchObject({ sessions: 1, subscriptions: 1, ring: { frames: 1 } })
  expect(body.ring.newest_event_id).toBe(`${body.epoch}-1`)
  expect(body.ring.oldest_event_id).toBe(`${body.epoch}-1`)
})

test('a full registration answers 201 with the address, the token and the place (docs/http.md §4)', async () => {
  const { status, body } = await shared.post('/v1/sessions', {
    instrument: 'cc-opus-4-6',
    session_id: 'full',
    tool: 'cc',
    handle: '~alice',
    drafted_with: '~cc-opus-4-6',
    title: 'api refactor',
    cwd: '/home/alice/api',
    repository: '/home/alice/api/.git',
    worktree: '/home/alice/api',
    branch: 'refactor',
    pid: process.pid,
    mailbox: true,
    entities: ['agent.reviewer', 'bus.ops'],
    successor_of: 'cc-opus-4-6@s0',
  })

  expect(status).toBe(201)
  expect(body).toEqual({
    name: 'api-refactor',
    address: '~alice/cc-opus-4-6@full',
    handle: '~alice',
    principal: '~alice',
    instrument: 'cc-opus-4-6',
    session_id: 'full',
    tool: 'cc',
    token: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    event_id: expect.stringMatching(EVENT_ID),
    expires_at: expect.stringMatching(ISO_TIME),
  })
  const minutes = (Date.parse(body.expires_at) - Date.now()) / 60_000
  expect(minutes).toBeGreaterThan(29)
  expect(minutes).toBeLessThanOrEqual(30)
})

test('only the instrument is required, and the rest is filled in (docs/http.md §4)', async () => {
  const { status, body } = await shared.post('/v1/sessions', { instrument: 'codex' })

  expect(status).toBe(201)
  expect(body).toMatchObject({ handle: '~alice', instrument: 'codex', tool: 'other' })
  expect(body.session_id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
  expect(body.address).toBe(`~alice/codex@${body.session_id}`)
})

test('the same address with its token is 200 and the same token, without it 409 (docs/http.md §4)', async () => {
  const session = await shared.register({ title: 'one' })
  const same = { instrument: 'cc-opus-4-6', session_id: session.session_id, title: 'two' }

  const updated = await shared.post('/v1/sessions', same, session.token)
  const refused = await shared.post('/v1/sessions', same)
  const self = await shared.get('/v1/sessions/self', session.token)

  expect(updated.status).toBe(200)
  expect(updated.body).toMatchObject({ address: session.address, token: session.token })
  expect(refused.status).toBe(409)
  expect(refused.body).toMatchObject({ code: 'session-exists', field: 'session_id' })
  expect(self.body.title).toBe('two')
})

test('a token shows its session, with what was left out as null, and DELETE ends it for good (docs/http.md §4)', async () => {
  const session = await shared.register({ tool: 'cc', drafted_with: '~cc-opus' })

  const self = await shared.get('/v1/sessions/self', session.token)
  const deleted = await request(shared.socket, '/v1/sessions/self', {
    method: 'DELETE',
    token: session.token,
  })
  const again = await shared.get('/v1/sessions/self', session.token)

  expect(self).toMatchObject({ status: 200 })
  expect(self.body).toEqual({
    name: session.name,
    address: session.address,
    handle: '~alice',
    principal: '~alice',
    drafted_with: '~cc-opus',
    instrument: 'cc-opus-4-6',
    session_id: session.session_id,
    tool: 'cc',
    title: null,
    cwd: null,
    repository: null,
    worktree: null,
    branch: null,
    entities: [],
    delivery: null,
    activity: null,
    pid: null,
    started_at: expect.stringMatching(ISO_TIME),
    last_seen_at: expect.stringMatching(ISO_TIME),
    last_sent_at: null,
    expires_at: expect.stringMatching(ISO_TIME),
    subscriptions: 0,
    mailbox: null,
  })
  expect(deleted).toMatchObject({ status: 204, text: '' })
  expect(again).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
})

test('the roster shows who is there, registered or just listening (docs/http.md §4, AC-172)', async () => {
  const session = await shared.register({ mailbox: true, title: 'waiting', branch: 'main' })
  using _visitor = await shared.listen(undefined, '?instrument=tail&session_id=visitor-1&tool=cli')
  await shared.post('/v1/verbs/agent_broadcast', { text: 'hello' })

  const { status, body } = await shared.get('/v1/handles/~alice/roster')

  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['handle', 'sessions', 'next', 'matching', 'total'])
  expect(body.handle).toBe('~alice')
  expect(body.sessions).toContainEqual({
    name: session.name,
    address: session.address,
    instrument: 'cc-opus-4-6',
    session_id: session.session_id,
    tool: 'other',
    title: 'waiting',
    cwd: null,
    repository: null,
    worktree: null,
    branch: 'main',
    entities: [],
    delivery: null,
    activity: null,
    pid: null,
    started_at: expect.stringMatching(ISO_TIME),
    last_seen_at: expect.stringMatching(ISO_TIME),
    last_sent_at: null,
    subscriptions: 0,
    mailbox: { unread: 1 },
  })
  expect(body.sessions).toContainEqual(
    expect.objectContaining({
      address: '~alice/tail@visitor-1',
      tool: 'cli',
      subscriptions: 1,
      mailbox: null,
    }),
  )
})

test('a visitor is on the roster while its stream is open, and not after (docs/http.md §6)', async () => {
  const visitor = await shared.listen(undefined, '?session_id=visitor-2')
  const addresses = async (): Promise<string[]> => {
    const { body } = await shared.get('/v1/handles/%7Ealice/roster')
    return body.sessions.map(({ address }: { address: string }) => address)
  }
  const during = await addresses()
  visitor.connection.socket.destroy()
  await visitor.ended

  // The daemon hears of it in its own turn; the next answers are behind that.
  let after = await addresses()
  for (let tries = 0; after.includes('~alice/cli@visitor-2') && tries < 100; tries += 1)
    after = await addresses()

  expect(during).toContain('~alice/cli@visitor-2')
  expect(after).not.toContain('~alice/cli@visitor-2')
})

test('a frame is answered with its place, its counts and what the answer stands for (docs/http.md §5, AC-138, ACQ-24)', async () => {
  const reader = await shared.register({ instrument: 'reader' })
  const waiting = await shared.register({ instrument: 'reader', mailbox: true })
  using one = await shared.listen(reader)
  using _two = await shared.listen(reader, '?filter=kind:agent_query')
  using _three = await shared.listen(reader)
  const frame = validFrame()
  const { body: health } = await shared.get('/v1/health')

  const { status, headers, body } = await shared.post('/v1/frames', {
    recipient_scope: '~alice/reader*',
    frame,
  })

  expect(status).toBe(200)
  expect(headers['content-type']).toBe('application/json')
  expect(body).toEqual({
    frame_id: frame.frame_id,
    event_id: expect.stringMatching(EVENT_ID),
    recipient_count: 2,
    queued_count: 1,
    ack: health.ring.ack,
  })
  expect(await one.next()).toEqual({ id: body.event_id, event: 'agent_frame', data: JSON.stringify(frame) })
  expect(waiting.address).toMatch(/^~alice\/reader@/)
})

test('the same frame again is answered alike and marked, and emitted once; another under its id is refused (ACQ-25, R-14)', async () => {
  using stream = await shared.listen(await shared.register())
  const frame = validFrame()

  const first = await shared.post('/v1/frames', { frame })
  const again = await shared.post('/v1/frames', { frame })
  const other = await shared.post('/v1/frames', { frame: { ...frame, ttl_ms: 5 } })

  expect(again.body).toEqual({ ...first.body, duplicate: true })
  expect(other).toMatchObject({ status: 400, body: { code: 'field-invalid', field: 'frame_id' } })
  expect((await stream.frames(1)).length).toBe(1)
  await shared.expectSilence(stream, 1)
})

test('a scope left out is every session of the recipient (ACQ-02, AC-116)', async () => {
  using stream = await shared.listen(await shared.register())
  const { body } = await shared.post('/v1/frames', { frame: validFrame() })

  expect((await stream.frames(1))[0]).toMatchObject({ frame_id: body.frame_id })
})

test("a frame's receipts say who got it, and wait=seen answers when somebody has seen it (docs/http.md §§5, 7)", async () => {
  const reader = await shared.register({ instrument: 'seer' })
  const waiting = await shared.register({ instrument: 'seer', mailbox: true })
  using _stream = await shared.listen(reader)
  const sent = await shared.post('/v1/frames', { recipient_scope: '~alice/seer*', frame: validFrame() })
  const path = `/v1/frames/${sent.body.frame_id}`

  const before = await shared.get(path)
  const deadline = await shared.get(`${path}?wait=seen&timeout_ms=1`)
  const seen = shared.get(`${path}?wait=seen&timeout_ms=60000`)
  const all = shared.get(`${path}?wait=all`)
  const marked = await shared.post('/v1/seen', { event_ids: [sent.body.event_id] }, reader.token)
  const afterOne = await seen
  await shared.post('/v1/inbox/drain', { via: 'hook' }, waiting.token)
  const afterAll = await all

  expect(before).toMatchObject({ status: 200 })
  expect(before.body).toEqual({
    frame_id: sent.body.frame_id,
    event_id: sent.body.event_id,
    accepted_at: expect.stringMatching(ISO_TIME),
    recipient_count: 1,
    queued_count: 1,
    receipts: [
      { address: reader.address, state: 'emitted', at: expect.stringMatching(ISO_TIME) },
      { address: waiting.address, state: 'queued', at: expect.stringMatching(ISO_TIME) },
    ],
  })
  expect(deadline.body).toEqual(before.body)
  expect(marked).toMatchObject({ status: 200, body: { seen: 1 } })
  expect(afterOne.body.receipts).toMatchObject([{ state: 'seen', via: 'stream' }, { state: 'queued' }])
  expect(afterAll.body.receipts).toMatchObject([
    { state: 'seen', via: 'stream' },
    { state: 'seen', via: 'hook' },
  ])
})

test('history gives the newest retained frames, oldest first, and pages on from a place (docs/http.md §5)', async () => {
  const kind = 'flush_executed'
  const sent: { frame_id: string; event_id: string }[] = []
  for (let i = 0; i < 5; i += 1) {
    const { body } = await shared.post('/v1/frames', { frame: validFrame(kind) })
    sent.push(body)
  }
  const path = `/v1/frames?handle=~alice&filter=kind:${kind}`

  const newest = await shared.get(`${path}&limit=2`)
  const page = await shared.get(`${path}&limit=2&after=${sent[0]!.event_id}`)
  const rest = await shared.get(`${path}&limit=2&after=${page.body.next}`)
  const all = await shared.get(path)

  expect(newest.status).toBe(200)
  expect(newest.body.items.map((item: { event_id: string }) => item.event_id)).toEqual([
    sent[3]!.event_id,
    sent[4]!.event_id,
  ])
  expect(newest.body.items[0]).toEqual({
    event_id: sent[3]!.event_id,
    sender: null,
    scope: '~alice/*',
    accepted_at: expect.stringMatching(ISO_TIME),
    frame: expect.objectContaining({ kind, frame_id: sent[3]!.frame_id }),
  })
  expect(page.body.items.map((item: { event_id: string }) => item.event_id)).toEqual([
    sent[1]!.event_id,
    sent[2]!.event_id,
  ])
  expect(page.body.next).toBe(sent[2]!.event_id)
  expect(rest.body.items).toHaveLength(2)
  expect(rest.body.next).toBeNull()
  expect(all.body.items).toHaveLength(5)
})

test('retained frames can be forgotten by the principal, and are then nowhere to be had (AC-192)', async () => {
  const session = await shared.register()
  const kind = 'intent_withdraw'
  const { body: sent } = await shared.post('/v1/frames', { frame: validFrame(kind) })
  const forget = (token?: string): ReturnType<typeof request> =>
    request(shared.socket, `/v1/frames?kind=${kind}`, {
      method: 'DELETE',
      ...(token !== undefined && { token }),
    })

  const refused = await forget(session.token)
  const before = await shared.get(`/v1/frames?filter=kind:${kind}`)
  const forgotten = await forget()
  const after = await shared.get(`/v1/frames?filter=kind:${kind}`)
  const receipts = await shared.get(`/v1/frames/${sent.frame_id}`)
  const again = await forget()

  expect(refused).toMatchObject({ status: 403, body: { code: 'scope-unauthorised' } })
  expect(before.body.items).toHaveLength(1)
  expect(forgotten).toMatchObject({ status: 200, body: { forgotten: 1 } })
  expect(after.body.items).toEqual([])
  expect(receipts.status).toBe(404)
  expect(again.body).toEqual({ forgotten: 0 })
})

test('an inbox is drained once, as JSON or as text, and peeked as often as one likes (docs/http.md §7)', async () => {
  const session = await shared.register({ instrument: 'inbox-reader', mailbox: true })
  const frame = validFrame()
  const scope = '~alice/inbox-reader*'
  const { body: sent } = await shared.post('/v1/frames', { recipient_scope: scope, frame })
  const drain = (request: object): ReturnType<typeof shared.post> =>
    shared.post('/v1/inbox/drain', request, session.token)

  const peeked = await drain({ peek: true, format: 'text' })
  const drained = await drain({})
  const empty = await drain({})

  expect(peeked.body.text).toMatch(
    /^\[agentd [0-9a-f]{8}\] Messages from other sessions\..*\n.*\n.*End of messages\.$/,
  )
  expect(drained.status).toBe(200)
  expect(drained.body).toEqual({
    items: [{ event_id: sent.event_id, age_ms: expect.any(Number), sender: null, frame }],
    coalesced: 0,
    remaining: 0,
    gap: null,
  })
  expect(empty.body).toEqual({ items: [], coalesced: 0, remaining: 0, gap: null })
})

test('a wait for the inbox answers when something comes, and at its deadline when nothing does (docs/http.md §7)', async () => {
  const session = await shared.register({ instrument: 'waiter', mailbox: true })

  const deadline = await shared.get('/v1/inbox/wait?timeout_ms=1', session.token)
  const arrival = shared.get('/v1/inbox/wait?timeout_ms=60000', session.token)
  await shared.post('/v1/verbs/agent_broadcast', { text: 'x', recipient_scope: '~alice/waiter*' })
  const answered = await arrival

  expect(deadline).toMatchObject({ status: 200, body: { unread: 0 } })
  expect(answered).toMatchObject({ status: 200, body: { unread: 1 } })
})

test('seen takes a list or everything up to a place (docs/http.md §7)', async () => {
  const session = await shared.register({ instrument: 'upto' })
  using stream = await shared.listen(session)
  for (let i = 0; i < 3; i += 1) await shared.post('/v1/verbs/agent_broadcast', { text: `${i}` })
  const events = [await stream.next(), await stream.next(), await stream.next()]

  const one = await shared.post('/v1/seen', { event_ids: [events[1]!.id], via: 'mcp' }, session.token)
  const rest = await shared.post('/v1/seen', { up_to: events[2]!.id }, session.token)

  expect(one.body).toEqual({ seen: 1 })
  expect(rest.body).toEqual({ seen: 2 })
})

/** Verb → its arguments, the frame's kind and a part of its payload; every row of the table in docs/http.md §8. */
const VERBS: readonly [string, object, string, object][] = [
  [
    'agent_send',
    { kind: 'agent_advisory', payload: { advisory_text: 'x' } },
    'agent_advisory',
    { advisory_text: 'x' },
  ],
  [
    'agent_advise',
    { text: 'x', file_refs: ['a.ts'], worktree: '/w', branch: 'b' },
    'agent_advisory',
    { advisory_text: 'x', file_refs: ['a.ts'], worktree: '/w', branch: 'b' },
  ],
  ['agent_broadcast', { text: 'x' }, 'agent_broadcast', { broadcast_text: 'x', event_class: 'other' }],
  [
    'agent_broadcast',
    { text: 'x', event_class: 'merged', refs: ['pull/1'] },
    'agent_broadcast',
    { broadcast_text: 'x', event_class: 'merged', refs: ['pull/1'] },
  ],
  ['agent_handover', { body: 'x' }, 'agent_handover', { previous_session_id: 'shell', handover_body: 'x' }],
  [
    'agent_handover',
    { body: 'x', previous_session_id: 'p', next_session_id: 'n', pointer_refs: ['r'] },
    'agent_handover',
    { previous_session_id: 'p', handover_body: 'x', next_session_id: 'n', pointer_refs: ['r'] },
  ],
  ['agent_lock_acquire', { resource: 'a.ts' }, 'agent_lock_request', { resource: 'a.ts', ttl_ms: 300_000 }],
  [
    'agent_lock_acquire',
    { resource: 'a.ts', ttl_ms: 5, intent: 'i' },
    'agent_lock_request',
    { resource: 'a.ts', ttl_ms: 5, intent: 'i' },
  ],
  ['agent_lock_release', { lease_id: '2f1c1c4e-7c1f-4b0a-9d5e-0c6a3b1d2e4f' }, 'agent_lock_release', {}],
  [
    'agent_lease_extend',
    { lease_id: '2f1c1c4e-7c1f-4b0a-9d5e-0c6a3b1d2e4f' },
    'agent_lease_extend',
    { additional_ttl_ms: 300_000 },
  ],
  [
    'agent_query',
    { text: 'x' },
    'agent_query',
    { query_text: 'x', response_scope: '~alice/*', timeout_ms: 60_000 },
  ],
  [
    'agent_query',
    { text: 'x', response_scope: '~alice/cc@s', timeout_ms: 5 },
    'agent_query',
    { response_scope: '~alice/cc@s', timeout_ms: 5 },
  ],
  [
    'agent_respond',
    { query_id: '2f1c1c4e-7c1f-4b0a-9d5e-0c6a3b1d2e4f', text: 'x' },
    'agent_response',
    { responder_session_id: 'shell', response_text: 'x' },
  ],
  [
    'agent_return',
    { return_event_ref: 'r', summary: 's' },
    'agent_return_event',
    { return_event_ref: 'r', summary: 's' },
  ],
  [
    'agent_decide',
    {
      synopsis: 's',
      findings: [],
      recommendations: [],
      offer: 'o',
      question: {
        stem: 'q',
        options: [
          { label: 'a', reasoning: 'b' },
          { label: 'c', reasoning: 'd' },
        ],
        recommended_idx: 1,
      },
    },
    'agent_binding_moment',
    { synopsis: 's', offer: 'o' },
  ],
  [
    'agent_diagnose',
    { symptom: 'x', severity: 'info' },
    'peer_diagnostic_request',
    { symptom: 'x', severity: 'info' },
  ],
  [
    'agent_diagnose_respond',
    { diagnostic_id: '2f1c1c4e-7c1f-4b0a-9d5e-0c6a3b1d2e4f', finding: 'f', remediation: 'r' },
    'peer_diagnostic_response',
    { finding: 'f', remediation: 'r' },
  ],
  [
    'intent_declare',
    { convergence_class: 'a.b', payload_ref: 'r', ttl: 5, withdrawable: true },
    'intent_declare',
    { convergence_class: 'a.b', acted_by: '~alice', drafted_with: '~agentd-cli', withdrawable: true },
  ],
  ['intent_withdraw', { convergence_class: 'a.b', intent_ref: 'r' }, 'intent_withdraw', { intent_ref: 'r' }],
  [
    'flush_execute',
    { convergence_class: 'a.b', result_ref: 'r', batch_refs: ['x'] },
    'flush_executed',
    { result_ref: 'r', batch_refs: ['x'] },
  ],
]

test.each(VERBS)(
  '%s composes a complete frame and submits it (AC-172, docs/http.md §8) %j',
  async (verb, args, kind, payload) => {
    using stream = await shared.listen(await shared.register())

    const { status, body } = await shared.post(`/v1/verbs/${verb}`, args)

    expect(status).toBe(200)
    expect(body.frame).toMatchObject({
      envelope_version: '1.0',
      kind,
      sender_handle: '~alice',
      recipient_handle: '~alice',
      acted_by: '~alice',
      drafted_with: '~agentd-cli',
      provenance_compute_location: 'local-only',
      payload,
    })
    expect(body.frame.frame_id).toBe(body.frame_id)
    expect(body.recipient_count).toBeGreaterThan(0)
    expect(await stream.frames(1)).toEqual([body.frame])
  },
)

test.each([
  ['agent_query', { text: 'x' }, 'query_id'],
  ['agent_lock_acquire', { resource: 'x' }, 'lease_id'],
  ['agent_diagnose', { symptom: 'x', severity: 'info' }, 'diagnostic_id'],
])(
  '%s answers with the id it made, so that the caller can go on (docs/http.md §8)',
  async (verb, args, id) => {
    const { body } = await shared.post(`/v1/verbs/${verb}`, args)

    expect(body[id]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(body.frame.payload[id]).toBe(body[id])
  },
)

test.each([
  ['agent_advise', 'agent_advisory', 'advisory_text'],
  ['agent_broadcast', 'agent_broadcast', 'broadcast_text'],
  ['agent_handover', 'agent_handover', 'handover_body'],
  ['agent_query', 'agent_query', 'query_text'],
  ['agent_lock_acquire', 'agent_lock_request', 'resource'],
])(
  '%s takes its one text as text/plain, so that one line of curl is a whole hook (docs/http.md §8)',
  async (verb, kind, field) => {
    const { status, body } = await request(shared.socket, `/v1/verbs/${verb}`, {
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: 'editing src/auth.ts — später',
    })

    expect(status).toBe(200)
    expect(body.frame).toMatchObject({ kind, payload: { [field]: 'editing src/auth.ts — später' } })
  },
)

test('a verb of a session speaks as that session, and what it takes besides goes into the frame (docs/http.md §8)', async () => {
  const session = await shared.register({ tool: 'cc', drafted_with: '~cc-opus' })
  const { body } = await shared.post(
    '/v1/verbs/agent_query',
    {
      text: 'x',
      recipient_scope: '~alice/nobody*',
      recipient_handle: '~alice',
      ttl_ms: 5_000,
      drafted_with: '~cc-opus',
      provenance: {
        compute_location: 'server-aggregate',
        method: ['a', 'b'],
        return_ref: 'ref',
        context_check: 'passed',
        basis: 'why',
      },
    },
    session.token,
  )

  expect(body).toMatchObject({ recipient_count: 0 })
  expect(body.frame).toMatchObject({
    sender_handle: '~alice',
    drafted_with: '~cc-opus',
    ttl_ms: 5_000,
    provenance_compute_location: 'server-aggregate',
    provenance_method: ['a', 'b'],
    provenance_return_ref: 'ref',
    provenance_context_check: 'passed',
    provenance_basis: 'why',
    payload: { response_scope: session.address },
  })
})

test('an answer goes where the query asked for it, unless the caller says otherwise (docs/http.md §8, AC-071)', async () => {
  const asker = await shared.register({ instrument: 'asker' })
  const bystander = await shared.register({ instrument: 'bystander' })
  using answers = await shared.listen(asker, '?filter=kind:agent_response')
  using others = await shared.listen(bystander, '?filter=kind:agent_response')
  const { body: asked } = await shared.post('/v1/verbs/agent_query', { text: 'who?' }, asker.token)

  const { body } = await shared.post(
    '/v1/verbs/agent_respond',
    { query_id: asked.query_id, text: 'me' },
    bystander.token,
  )
  const wide = await shared.post(
    '/v1/verbs/agent_respond',
    { query_id: asked.query_id, text: 'all', recipient_scope: '~alice/*' },
    bystander.token,
  )

  expect(body).toMatchObject({ recipient_count: 1, query_id: asked.query_id })
  expect(wide.body.recipient_count).toBe(2)
  expect((await answers.frames(2)).map((frame) => frame['frame_id'])).toEqual([
    body.frame_id,
    wide.body.frame_id,
  ])
  expect((await others.frames(1))[0]).toMatchObject({ frame_id: wide.body.frame_id })
  expect(body.frame.payload.responder_session_id).toBe(bystander.session_id)
})

test('agent_roster answers as the roster does, and agent_subscribe where to read and as whom (AC-172, docs/http.md §8)', async () => {
  const session = await shared.register()

  const roster = await shared.post('/v1/verbs/agent_roster', {})
  const own = await shared.post('/v1/verbs/agent_subscribe', { filter: 'kind:agent_query' }, session.token)
  const made = await shared.post('/v1/verbs/agent_subscribe', {})

  expect(roster).toMatchObject({ status: 200, body: { handle: '~alice', sessions: expect.any(Array) } })
  expect(own).toMatchObject({ status: 200 })
  expect(own.body).toEqual({
    url: '/v1/handles/~alice/stream?filter=kind%3Aagent_query',
    address: session.address,
  })
  expect(made.body).toEqual({
    url: '/v1/handles/~alice/stream',
    address: expect.stringMatching(/^~alice\/cli@/),
    token: expect.any(String),
  })
  using stream = await shared.listen(made.body, made.body.url.replace('/v1/handles/~alice/stream', ''))
  expect(stream.status).toBe(200)
})

test('every answer, good or bad, carries the version (docs/http.md §10)', async () => {
  const answers = await Promise.all([
    sendEnvelope(shared.socket, validEnvelope()),
    sendEnvelope(shared.socket, '{'),
    shared.get('/v1/envelopes/nobody-knows'),
    shared.get('/v1/threads/nobody-knows'),
    shared.post('/v1/log', {}),
    shared.get('/v1/health'),
    shared.get('/v1/nothing'),
    shared.post('/v1/frames', { frame: brokenFrame('agent_query', { kind: 'x' }) }),
    request(shared.socket, '/v1/health', { method: 'PUT' }),
    shared.get('/v1/metrics'),
    shared.get('/v1/sessions/self', randomUUID()),
  ])

  for (const { headers } of answers) expect(headers['agentd-version']).toMatch(/^\d+\.\d+\.\d+/)
})
