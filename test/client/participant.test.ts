import { describe, expect, test } from 'vitest'
import type { Participant } from '../../src/client/participant.ts'
import type { SubmissionResult } from '../../src/client/reply/results.ts'
import type { Arrival } from '../support/fake-daemon.ts'
import { makeFrame, meet, readSubmission, register, resultLine, takePipe, type Peers } from './peers.ts'

/** Has one frame sent, answers it, and gives what went over the wire. */
async function heard(peers: Peers, sent: Promise<unknown>): Promise<ReturnType<typeof readSubmission>> {
  const pipe = await takePipe(peers.daemon)
  const line = await pipe.line()
  pipe.write(resultLine(line))
  await sent
  return readSubmission(line)
}

describe('what is sent is a valid frame', () => {
  test('a principal signs as itself, with the shell as its instrument (ACQ-12)', async () => {
    await using peers = await meet()
    const { frame, recipient_scope } = await heard(
      peers,
      peers.client.send({ kind: 'agent_advisory', payload: { advisory_text: 'hello' } }),
    )

    expect(recipient_scope).toBeUndefined()
    expect(frame).toMatchObject({
      sender_handle: '~alice',
      recipient_handle: '~alice',
      acted_by: '~alice',
      drafted_with: '~agentd-cli',
      created_at: '2026-11-20T10:00:00.000Z',
      provenance_compute_location: 'local-only',
      payload: { advisory_text: 'hello' },
    })
  })

  test('a session signs with its instrument (AC-178)', async () => {
    await using peers = await meet()
    const session = await register(peers)
    const { frame } = await heard(peers, session.advise('hello'))

    expect(frame).toMatchObject({
      sender_handle: '~alice',
      acted_by: '~alice',
      drafted_with: '~cc-opus',
      provenance_compute_location: 'server-active',
    })
  })

  test('every option goes where the memo has it', async () => {
    await using peers = await meet()
    const { frame, recipient_scope } = await heard(
      peers,
      peers.client.advise('hello', {
        fileRefs: ['src/a.ts'],
        worktree: '/w',
        branch: 'b',
        scope: '~bob/cc-*',
        ttlMs: 9,
        draftedWith: '~codex-1',
        provenance: {
          computeLocation: 'server-aggregate',
          method: ['m'],
          returnRef: 'r',
          contextCheck: 'passed',
          basis: 'b',
        },
      }),
    )

    expect(recipient_scope).toBe('~bob/cc-*')
    expect(frame).toMatchObject({
      recipient_handle: '~bob',
      ttl_ms: 9,
      drafted_with: '~codex-1',
      payload: { advisory_text: 'hello', file_refs: ['src/a.ts'], worktree: '/w', branch: 'b' },
      provenance_compute_location: 'server-aggregate',
      provenance_method: ['m'],
      provenance_return_ref: 'r',
      provenance_context_check: 'passed',
      provenance_basis: 'b',
    })
  })

  const QUERY_ID = '11111111-1111-4111-8111-111111111111'
  const LEASE_ID = '22222222-2222-4222-8222-222222222222'

  test.each<[string, (speaker: Participant) => Promise<SubmissionResult>, object]>([
    [
      'broadcast',
      (speaker) => speaker.broadcast('merged', { eventClass: 'merged', refs: ['#7'] }),
      { kind: 'agent_broadcast', payload: { broadcast_text: 'merged', event_class: 'merged', refs: ['#7'] } },
    ],
    [
      'broadcast of no class',
      (speaker) => speaker.broadcast('something'),
      { kind: 'agent_broadcast', payload: { broadcast_text: 'something', event_class: 'other' } },
    ],
    [
      'handover',
      (speaker) => speaker.handover('go on', { pointerRefs: ['a'], nextSessionId: 's9' }),
      {
        kind: 'agent_handover',
        payload: {
          previous_session_id: 'shell',
          next_session_id: 's9',
          handover_body: 'go on',
          pointer_refs: ['a'],
        },
      },
    ],
    [
      'unlock',
      (speaker) => speaker.unlock(LEASE_ID),
      { kind: 'agent_lock_release', payload: { lease_id: LEASE_ID } },
    ],
    [
      'extendLease',
      (speaker) => speaker.extendLease(LEASE_ID, 7),
      { kind: 'agent_lease_extend', payload: { lease_id: LEASE_ID, additional_ttl_ms: 7 } },
    ],
    [
      'respond',
      (speaker) => speaker.respond({ queryId: QUERY_ID, scope: '~bob/cc@s2' }, 'yes'),
      {
        kind: 'agent_response',
        recipient_handle: '~bob',
        payload: { query_id: QUERY_ID, responder_session_id: 'shell', response_text: 'yes' },
      },
    ],
  ])('%s', async (_, speak, expected) => {
    await using peers = await meet()

    expect((await heard(peers, speak(peers.client))).frame).toMatchObject(expected)
  })

  test('submit sends the frame as it is', async () => {
    await using peers = await meet()
    const frame = makeFrame('complete')

    expect(await heard(peers, peers.client.submit(frame, '~alice/cc@s1'))).toEqual({
      recipient_scope: '~alice/cc@s1',
      frame,
    })
  })
})

describe('locks', () => {
  test('a lock can be extended and released through its lease, to the same scope', async () => {
    await using peers = await meet()
    const { client, daemon } = peers
    const pending = client.lock('src/a.ts', { ttlMs: 60_000, intent: 'rename', scope: '~alice/cc-*' })
    const pipe = await takePipe(daemon)
    const step = async (): Promise<ReturnType<typeof readSubmission>> => {
      const line = await pipe.line()
      pipe.write(resultLine(line))
      return readSubmission(line)
    }
    const request = await step()
    for (const _ of ['requested', 'extended', 'released'])
      (await daemon.next('GET /v1/frames')).answer(200, { items: [], next: null })
    const lease = await pending
    const extending = lease.extend(1_000)
    const extension = await step()
    await extending
    const releasing = [lease.release(), lease.release()]
    const release = await step()
    await Promise.all(releasing)

    const { leaseId } = lease
    expect(request.frame).toMatchObject({
      ttl_ms: 60_000,
      payload: { resource: 'src/a.ts', lease_id: leaseId, ttl_ms: 60_000, intent: 'rename' },
    })
    expect(extension.frame).toMatchObject({ payload: { lease_id: leaseId, additional_ttl_ms: 1_000 } })
    expect(release.frame).toMatchObject({ kind: 'agent_lock_release', payload: { lease_id: leaseId } })
    expect([request, extension, release].map(({ recipient_scope }) => recipient_scope)).toEqual(
      Array.from({ length: 3 }, () => '~alice/cc-*'),
    )
    expect(lease.request).toMatchObject({ recipientCount: 1 })
    expect(lease.heldBy).toEqual([])
  })
})

describe('responding', () => {
  test('a query that came as a frame is answered to its response scope', async () => {
    await using peers = await meet()
    const session = await register(peers)
    const payload = {
      query_text: '?',
      query_id: '11111111-1111-4111-8111-111111111111',
      response_scope: '~alice/cli@x1',
      timeout_ms: 1,
    }
    const query = makeFrame('', { kind: 'agent_query', payload })
    if (query.kind !== 'agent_query') throw new TypeError('another kind was made')
    const { frame, recipient_scope } = await heard(peers, session.respond(query, 'yes'))

    expect(recipient_scope).toBe('~alice/cli@x1')
    expect(frame.payload).toEqual({
      query_id: payload.query_id,
      responder_session_id: 's1',
      response_text: 'yes',
      responded_to_frame_id: query.frame_id,
    })
  })

  test('where the response scope is not known, the daemon finds it', async () => {
    await using peers = await meet()
    const responding = peers.client.respond({ queryId: 'q' }, 'yes')
    const arrival = await peers.daemon.next('POST /v1/verbs/agent_respond')
    expect(await arrival.json()).toEqual({ query_id: 'q', text: 'yes' })
    arrival.answer(200, { ...RESULT, frame: makeFrame(), query_id: 'q' })

    expect(await responding).toMatchObject({
      frameId: 'f',
      queryId: 'q',
      leaseId: undefined,
      duplicate: false,
    })
  })
})

const RESULT = { frame_id: 'f', event_id: 'e1-1', recipient_count: 1, queued_count: 2, ack: 'process' }

/** Answers the next request and gives it back. */
async function replied(peers: Peers, body: unknown): Promise<Arrival> {
  const arrival = await peers.daemon.next()
  arrival.answer(200, body)
  return arrival
}

describe('reading', () => {
  test('the roster is read on to its last page, and one page is one request (HD-06)', async () => {
    await using peers = await meet()
    const reading = peers.client.roster()
    const first = await replied(peers, { handle: '~alice', sessions: [], next: '7', matching: 9, total: 9 })
    const second = await replied(peers, { handle: '~alice', sessions: [], next: null })
    await reading
    const asking = peers.client.rosterPage({ limit: 2, near: 'self' })
    const third = await replied(peers, { handle: '~alice', sessions: [], next: '2', matching: 3, total: 9 })

    expect([first, second, third].map(({ query }) => query.toString())).toEqual([
      '',
      'after=7',
      'limit=2&near=self',
    ])
    expect(await asking).toEqual({ sessions: [], next: '2', matching: 3, total: 9 })
  })

  test('the roster is that of one\u2019s own handle', async () => {
    await using peers = await meet()
    const reading = peers.client.roster()
    const times = { started_at: 'a', last_seen_at: 'b' }
    const texts = { title: 't', cwd: null, repository: null, worktree: null, branch: null }
    const session = {
      address: '~alice/cc@s1',
      instrument: 'cc',
      session_id: 's1',
      tool: 'cc',
      ...texts,
      ...times,
    }
    const entry = { ...session, subscriptions: 1, mailbox: { unread: 3 }, newer: true }
    const arrival = await replied(peers, { handle: '~alice', sessions: [entry] })

    expect(arrival.path).toBe('/v1/handles/~alice/roster')
    expect(await reading).toEqual([
      {
        address: '~alice/cc@s1',
        instrument: 'cc',
        sessionId: 's1',
        tool: 'cc',
        ...texts,
        startedAt: 'a',
        lastSeenAt: 'b',
        subscriptions: 1,
        mailbox: { unread: 3 },
      },
    ])
  })

  test('history leaves out what it cannot read, and says how much that was (ACQ-37)', async () => {
    await using peers = await meet()
    const frame = makeFrame()
    const reading = peers.client.history({ filter: 'kind:agent_query', after: 'e1-2', limit: 7 })
    const item = { event_id: 'e1-3', scope: '~alice/*', accepted_at: 'a' }
    const items = [
      { ...item, frame: { ...frame, kind: 'poem' } },
      { ...item, frame },
    ]
    const arrival = await replied(peers, { items, next: 'e1-3' })

    expect(Object.fromEntries(arrival.query)).toEqual({
      filter: 'kind:agent_query',
      after: 'e1-2',
      limit: '7',
    })
    expect(await reading).toEqual({
      items: [{ eventId: 'e1-3', scope: '~alice/*', acceptedAt: 'a', frame }],
      next: 'e1-3',
      unreadable: 1,
    })
  })

  test('receipts can be waited for', async () => {
    await using peers = await meet()
    const reading = peers.client.receipts('f1', { wait: 'seen', timeoutMs: 60_000 })
    const arrival = await peers.daemon.next('GET /v1/frames/f1')
    // Longer than an ordinary call may take: the daemon was asked to hold the answer back.
    peers.clock.advance(60_000)
    const receipt = { address: '~alice/cc@s1', state: 'seen', at: 'b', via: 'hook' }
    const counts = { recipient_count: 1, queued_count: 0 }
    arrival.answer(200, {
      frame_id: 'f1',
      event_id: 'e1-1',
      accepted_at: 'a',
      ...counts,
      receipts: [receipt],
    })

    expect(Object.fromEntries(arrival.query)).toEqual({ wait: 'seen', timeout_ms: '60000' })
    expect(await reading).toEqual({
      frameId: 'f1',
      eventId: 'e1-1',
      acceptedAt: 'a',
      recipientCount: 1,
      queuedCount: 0,
      receipts: [receipt],
    })
  })

  test('health is told in camelCase, ring included', async () => {
    await using peers = await meet()
    const ids = { oldest_event_id: null, newest_event_id: 'e1-9' }
    peers.daemon.health = {
      ring: {
        enabled: true,
        ack: 'disk',
        frames: 9,
        bytes: 99,
        ...ids,
        sqlite_version: '3',
        synchronous: 'full',
      },
    }

    expect(await peers.client.health()).toMatchObject({
      instanceId: 'i-1',
      uptimeMs: 1,
      ring: {
        ack: 'disk',
        oldestEventId: null,
        newestEventId: 'e1-9',
        sqliteVersion: '3',
        synchronous: 'full',
      },
    })
  })
})

describe('the inbox', () => {
  test('a drain hands over what can be read', async () => {
    await using peers = await meet()
    const session = await register(peers)
    const frame = makeFrame()
    const draining = session.inbox.drain({
      maxItems: 2,
      maxBytes: 3,
      format: 'text',
      peek: true,
      via: 'hook',
    })
    const arrival = await peers.daemon.next('POST /v1/inbox/drain')
    const body = await arrival.json()
    const items = [
      { event_id: 'e1-1', age_ms: 5, envelope: { v: '1' } },
      { event_id: 'e1-2', age_ms: 4, frame },
      { event_id: 'e1-3', age_ms: 3, perhaps_shown: true, frame },
    ]
    arrival.answer(200, { items, coalesced: 1, remaining: 2, gap: null, text: 'digest' })

    expect(body).toEqual({ max_items: 2, max_bytes: 3, format: 'text', peek: true, via: 'hook' })
    expect(await draining).toEqual({
      items: [
        { eventId: 'e1-2', ageMs: 4, perhapsShown: false, frame },
        { eventId: 'e1-3', ageMs: 3, perhapsShown: true, frame },
      ],
      coalesced: 1,
      remaining: 2,
      gap: null,
      text: 'digest',
      unreadable: 1,
    })
  })

  test('waiting is a long poll that can be given up', async () => {
    await using peers = await meet()
    const session = await register(peers)
    const controller = new AbortController()
    const waiting = session.inbox.wait(120_000)
    const givenUp = session.inbox.wait(120_000, { signal: controller.signal })
    givenUp.catch(() => {})
    const arrivals = [
      await peers.daemon.next('GET /v1/inbox/wait'),
      await peers.daemon.next('GET /v1/inbox/wait'),
    ]
    controller.abort(new Error('enough'))
    peers.clock.advance(120_000)
    for (const arrival of arrivals) arrival.answer(200, { unread: 3 })

    expect(await waiting).toBe(3)
    await expect(givenUp).rejects.toThrow('enough')
    expect(arrivals[0]?.query.get('timeout_ms')).toBe('120000')
  })

  test('what was read from a stream is said to be seen', async () => {
    await using peers = await meet()
    const session = await register(peers)
    const telling = session.seen({ eventIds: ['e1-1'], via: 'mcp' })
    const arrival = await peers.daemon.next('POST /v1/seen')
    const body = await arrival.json()
    arrival.answer(200, { seen: 1 })

    expect(body).toEqual({ event_ids: ['e1-1'], via: 'mcp' })
    expect(await telling).toBe(1)
  })
})
