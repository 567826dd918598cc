/** What a client that knows the memo alone sends and reads (memo §§6–8; docs/http.md §§5, 6). */
import { describe, expect, test } from 'vitest'
import { validFrame } from '../support/frames.ts'
import { openLines, openStream, request } from '../support/http.ts'
import { SharedDaemon } from './shared-daemon.ts'

const shared = new SharedDaemon()
const MEMO_STREAM = '/v1/handles/~alice/stream?profile=memo'

describe('a bare frame', () => {
  test.each(['application/json', 'application/x-alter-agent', 'Application/X-Alter-Agent; charset=utf-8'])(
    'of type %s goes where the query says (ACQ-02)',
    async (type) => {
      const there = await shared.register({ mailbox: true })
      const elsewhere = await shared.register({ mailbox: true })
      const scope = encodeURIComponent(there.address)

      const { status, body } = await request(shared.socket, `/v1/frames?recipient_scope=${scope}`, {
        headers: { 'content-type': type },
        body: JSON.stringify(validFrame()),
      })

      expect({ status, ...body }).toMatchObject({ status: 200, recipient_count: 0, queued_count: 1 })
      const unread = await shared.get('/v1/inbox/wait?timeout_ms=0', there.token)
      expect(unread.body).toEqual({ unread: 1 })
      expect((await shared.get('/v1/inbox/wait?timeout_ms=0', elsewhere.token)).body).toEqual({ unread: 0 })
    },
  )

  test('without a scope is for all of the recipient, as a wrapped one is (AC-116)', async () => {
    using stream = await openStream(shared.socket, '/v1/handles/~alice/stream')

    const { body } = await shared.post('/v1/frames', validFrame())

    expect(body.recipient_count).toBeGreaterThan(0)
    expect((await stream.next('agent_frame')).id).toBe(body.event_id)
  })

  test('stands on lines too, and the scope of the query is for each that has none', async () => {
    const { address } = await shared.register({ mailbox: true })
    using lines = openLines(shared.socket, {
      path: `/v1/frames?recipient_scope=${encodeURIComponent(address)}`,
    })
    lines.send(validFrame())
    lines.send({ frame: validFrame() })
    lines.send({ recipient_scope: '~alice/*', frame: validFrame() })
    lines.end()

    expect(await lines.answered(3)).toMatchObject([
      { queued_count: 1 },
      { queued_count: 1 },
      { code: 'field-invalid', field: 'recipient_scope', line: 3 },
    ])
  })

  test.each([
    ['?recipient_scope=~bob', 403, { code: 'scope-unauthorised' }],
    ['?recipient_scope=alice', 400, { code: 'field-invalid', field: 'recipient_scope' }],
    [
      '?recipient_scope=~alice&recipient_scope=~alice',
      400,
      { code: 'field-invalid', field: 'recipient_scope' },
    ],
    ['?scope=~alice', 400, { code: 'field-unknown', field: 'scope' }],
    ['?recipient_scope=org:~acme/members/*', 422, { code: 'scope-unimplemented' }],
  ])('with %s is refused (AC-157, AC-166)', async (query, status, refusal) => {
    const reply = await shared.post(`/v1/frames${query}`, validFrame())

    expect(reply.status).toBe(status)
    expect(reply.body).toMatchObject(refusal)
  })

  test('of any other media type is refused, and another charset of this one is', async () => {
    for (const type of [
      'application/x-alter-agents',
      'application/x-alter-agent; charset=latin1',
      'text/json',
    ]) {
      const headers = { 'content-type': type }
      const { status } = await request(shared.socket, '/v1/frames', { headers, body: '{}' })
      expect(status).toBe(415)
    }
  })
})

describe('a stream with profile=memo', () => {
  test('has unnamed events of frames alone, live and in replay, by the same ids (ACQ-20, AC-142)', async () => {
    const { address, token } = await shared.register({ entities: ['agent.memo'], mailbox: true })
    using stream = await openStream(shared.socket, MEMO_STREAM, { token })
    const frame = validFrame('agent_query')
    const sent = await shared.post('/v1/frames', { recipient_scope: address, frame })
    const envelope = {
      v: '1',
      id: 'memo-wire-1',
      ts: new Date().toISOString(),
      type: 'event',
      from: 'service.ci',
    }
    const more = { to: 'agent.memo', intent: 'ops.x', corr: 'memo-wire', priority: 'normal', payload: {} }
    const asked = await shared.post('/v1/envelopes', { ...envelope, ...more, reply_to: null, requires: {} })
    const last = await shared.post('/v1/frames', { recipient_scope: address, frame: validFrame() })

    const events = [await stream.next(), await stream.next()]

    expect(asked.body).toMatchObject({ recipient_count: 0, queued_count: 1 })
    expect(events.map(({ id }) => id)).toEqual([sent.body.event_id, last.body.event_id])
    expect(events.map(({ event }) => event)).toEqual([undefined, undefined])
    expect(JSON.parse(events[0]?.data ?? '')).toEqual(frame)
    expect(stream.body()).not.toContain('event:')
    using again = await openStream(shared.socket, MEMO_STREAM, {
      token,
      headers: { 'last-event-id': sent.body.event_id },
    })
    expect(await again.next()).toMatchObject({ id: last.body.event_id, event: undefined })
  })

  test('is narrowed by a filter, and says a gap in a comment', async () => {
    const path = `${MEMO_STREAM}&filter=kind:agent_broadcast&after=nonsense-1`
    using stream = await openStream(shared.socket, path)
    await shared.post('/v1/frames', validFrame('agent_query'))
    const { body } = await shared.post('/v1/frames', validFrame('agent_broadcast'))

    expect(await stream.next()).toMatchObject({ id: body.event_id, event: undefined })
    expect(stream.comments.filter((comment) => comment.startsWith('agentd_gap {'))).toHaveLength(1)
  })

  test.each([
    ['profile=alter', 'profile'],
    ['profile=memo&entities=agent.x', 'entities'],
  ])('refuses %s before its first byte (ACQ-36)', async (query, field) => {
    const { status, body } = await shared.get(`/v1/handles/~alice/stream?${query}`)

    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'field-invalid', field })
  })
})
