/**
 * Entities: for whom a caller may speak, who hears, and who is known at all (AEQ-20, AEQ-21; docs/http.md §§6, 9).
 */
import { describe, expect, test } from 'vitest'
import { Entities, MAX_KNOWN_ENTITIES } from '../../../src/broker/audience/entities.ts'
import { refusalOf } from '../../support/refusals.ts'
import { Workbench } from '../workbench.ts'

const MISMATCH = { code: 'sender-identity-mismatch', field: 'from' }
const UNKNOWN = { code: 'recipient-unknown', field: 'to' }

describe('from (AEQ-21, AEE-092)', () => {
  test('a session speaks for the entities it registered, and for no other', () => {
    const bench = new Workbench()
    const session = bench.session('cc', 's1', { entities: ['agent.a', 'agent.b'] })

    expect(refusalOf(() => bench.tell({ from: 'agent.a' }, session))).toBeUndefined()
    expect(refusalOf(() => bench.tell({ from: 'agent.b' }, session))).toBeUndefined()
    for (const from of [
      'agent.c',
      'agent.A',
      'agent.a ',
      'agent.*',
      '__proto__',
      'service.agentd',
      'human.x',
    ])
      expect(refusalOf(() => bench.tell({ from }, session))).toEqual(MISMATCH)
  })

  test('a session without entities speaks for nobody, not even for one that only its stream names', () => {
    const bench = new Workbench()
    const session = bench.session('cc', 's1')
    bench.open(session, { entities: ['agent.a'] })

    expect(refusalOf(() => bench.tell({ from: 'agent.a' }, session))).toEqual(MISMATCH)
    expect(refusalOf(() => bench.tell({ from: 'agent.a' }))).toBeUndefined()
  })

  test('an update takes entities away and gives others', () => {
    const bench = new Workbench()
    const { session, token } = bench.register({ instrument: 'cc', session_id: 's1', entities: ['agent.a'] })
    bench.register({ instrument: 'cc', session_id: 's1', entities: ['agent.b'] }, { session, token })

    expect(refusalOf(() => bench.tell({ from: 'agent.a' }, session))).toEqual(MISMATCH)
    expect(refusalOf(() => bench.tell({ from: 'agent.b' }, session))).toBeUndefined()
    // What it let go of is anybody's.
    expect(refusalOf(() => bench.tell({ from: 'agent.a' }))).toBeUndefined()
    expect(refusalOf(() => bench.tell({ from: 'agent.b' }))).toEqual(MISMATCH)
  })

  test('without a token one speaks for what no living session holds: lease, stream and process keep it alive', () => {
    const bench = new Workbench({ limits: { leaseMs: 60_000 } })
    bench.processes.set(41, 'start-1')
    const leased = bench.session('cc', 'leased', { entities: ['agent.leased'] })
    const streaming = bench.session('cc', 'streaming', { entities: ['agent.streaming'] })
    const running = bench.session('cc', 'running', { entities: ['agent.running'], pid: 41 })
    const { subscription } = bench.open(streaming)
    const refused = () =>
      ['agent.leased', 'agent.streaming', 'agent.running', 'agent.nobody'].filter(
        (from) => refusalOf(() => bench.tell({ from })) !== undefined,
      )

    expect(refused()).toEqual(['agent.leased', 'agent.streaming', 'agent.running'])
    // Past the lease and before anybody looks: dead is who would be found dead.
    for (const session of [leased, streaming, running]) session.leasedAtMs -= 60_000
    expect(refused()).toEqual(['agent.streaming', 'agent.running'])
    subscription.closed()
    streaming.leasedAtMs -= 60_000
    bench.processes.set(41, 'start-2')
    expect(refused()).toEqual([])
  })

  test('one living holder of several is enough to be refused without its token', () => {
    const bench = new Workbench()
    const dead = bench.session('cc', 'dead', { entities: ['agent.a'] })
    dead.leasedAtMs -= 2_000_000
    const alive = bench.session('cc', 'alive', { entities: ['agent.a'] })

    expect(refusalOf(() => bench.tell({ from: 'agent.a' }))).toEqual(MISMATCH)
    bench.broker.sessions.close(alive)
    expect(refusalOf(() => bench.tell({ from: 'agent.a' }))).toBeUndefined()
  })

  test('a person speaks only through a session with the tool "human"', () => {
    const bench = new Workbench()
    const human = bench.session('web', 'adam', { tool: 'human', entities: ['human.adam'] })

    expect(refusalOf(() => bench.tell({ from: 'human.adam' }, human))).toBeUndefined()
    expect(refusalOf(() => bench.tell({ from: 'human.eve' }, human))).toEqual(MISMATCH)
    expect(refusalOf(() => bench.tell({ from: 'human.eve' }))).toEqual(MISMATCH)
    expect(refusalOf(() => bench.session('cc', 's1', { tool: 'cc', entities: ['x', 'human.adam'] }))).toEqual(
      {
        code: 'sender-identity-mismatch',
        field: 'entities[1]',
      },
    )
    // No person: the type without a name, and another case, are names like any other.
    for (const from of ['human.', 'Human.adam', 'human'])
      expect(refusalOf(() => bench.tell({ from }))).toBeUndefined()
  })

  test('a session that stops being a human’s loses the name of the person with it', () => {
    const bench = new Workbench()
    const request = { instrument: 'web', session_id: 's1', tool: 'human', entities: ['human.adam'] }
    const { session, token } = bench.register(request)

    expect(refusalOf(() => bench.register({ ...request, tool: 'cc' }, { session, token }))).toMatchObject({
      field: 'entities[0]',
    })
    bench.register({ ...request, tool: 'cc', entities: [] }, { session, token })
    expect(refusalOf(() => bench.tell({ from: 'human.adam' }, session))).toEqual(MISMATCH)
  })

  test('the daemon’s own name is nobody’s, at registration and in a message', () => {
    const bench = new Workbench()

    expect(refusalOf(() => bench.session('cc', 's1', { entities: ['service.agentd'] }))).toMatchObject({
      code: 'sender-identity-mismatch',
      field: 'entities[0]',
    })
    expect(refusalOf(() => bench.tell({ from: 'service.agentd' }))).toEqual(MISMATCH)
    expect(refusalOf(() => bench.tell({ from: 'service.other' }))).toBeUndefined()
  })

  test('a session that ended while it was still sending speaks for nobody', () => {
    const bench = new Workbench()
    const session = bench.session('cc', 's1', { entities: ['agent.a'] })
    bench.broker.sessions.close(session)

    expect(refusalOf(() => bench.tell({ from: 'agent.a' }, session))?.code).toBe('unauthenticated')
  })
})

describe('to (AEQ-20, AEE-010)', () => {
  test('whom nobody knows is refused with names that are near, and a channel never is', () => {
    const bench = new Workbench()
    bench.session('cc', 's1', { entities: ['agent.backup_auditor', 'agent.router'] })
    const send = () => bench.tell({ to: 'agent.backup_auditer' })

    expect(refusalOf(send)).toEqual(UNKNOWN)
    expect(send).toThrow(/"agent\.backup_auditor"/)
    expect(send).not.toThrow(/router/)
    expect(bench.ring.count).toBe(0)
    expect(bench.tell({ to: 'bus.nobody_listens' })).toMatchObject({ recipient_count: 0, queued_count: 0 })
    for (const to of [
      'bus.',
      'bus',
      'Bus.ops',
      'agent.*',
      '*',
      '~alice',
      'agent.backup_auditor ',
      '__proto__',
    ])
      expect(refusalOf(() => bench.tell({ to }))).toEqual(UNKNOWN)
  })

  test('a pattern is a name like any other: it reaches who registered it, and nobody below it (AEQ-20)', () => {
    const bench = new Workbench()
    const literal = bench.open(bench.session('cc', 's1', { entities: ['agent.*'] }))
    const below = bench.open(bench.session('cc', 's2', { entities: ['agent.x'] }))

    expect(bench.tell({ to: 'agent.*' })).toMatchObject({ recipient_count: 1 })
    expect([literal.sink.envelopes.length, below.sink.envelopes.length]).toEqual([1, 0])
  })

  test('whoever has been there before is known: by registration, by a stream, by having sent', () => {
    const bench = new Workbench()
    bench.broker.sessions.close(bench.session('cc', 's1', { entities: ['agent.registered'] }))
    const session = bench.session('cc', 's2')
    bench.open(session, { entities: ['agent.streamed'] }).subscription.closed()
    bench.tell({ from: 'agent.sent' })

    for (const to of ['agent.registered', 'agent.streamed', 'agent.sent'])
      expect(bench.tell({ to })).toMatchObject({ recipient_count: 0, queued_count: 0 })
    // That somebody wrote to it makes nobody known.
    expect(refusalOf(() => bench.tell({ from: 'agent.x', to: 'agent.never' }))).toEqual(UNKNOWN)
    expect(refusalOf(() => bench.tell({ from: 'agent.x', to: 'agent.never' }))).toEqual(UNKNOWN)
  })

  test('an entity that a living session holds is known, however many names were heard since', () => {
    const entities = new Entities({ entities: () => [] })
    const session = new Workbench().session('cc', 's1', { entities: ['agent.living'] })
    entities.update(session, true)
    entities.streamOpened(session, { entities: ['agent.streamed'] })

    for (let i = 0; i < MAX_KNOWN_ENTITIES; i += 1) entities.remember(`agent.passer-by-${i}`)

    expect(['agent.living', 'agent.streamed'].filter((name) => entities.isKnown(name))).toEqual([
      'agent.living',
      'agent.streamed',
    ])
    expect([...entities.known].length).toBeLessThanOrEqual(MAX_KNOWN_ENTITIES + 2)
  })

  test('what the ring remembers is asked once, and only when a name is missed', () => {
    let asked = 0
    const entities = new Entities({
      entities: () => {
        asked += 1
        return ['agent.old']
      },
    })
    entities.remember('agent.new')

    expect([entities.isKnown('agent.new'), asked]).toEqual([true, 0])
    expect([entities.isKnown('agent.old'), entities.isKnown('agent.none'), asked]).toEqual([true, false, 1])
  })

  test('names the ring remembers never push out those that are there now', () => {
    const retained = Array.from({ length: MAX_KNOWN_ENTITIES + 1 }, (_, i) => `agent.retained-${i}`)
    const entities = new Entities({ entities: () => retained })
    const session = new Workbench().session('cc', 's1', { entities: ['agent.living'] })
    entities.update(session, true)

    expect(entities.isKnown('agent.nobody')).toBe(false)
    expect(entities.isKnown('agent.living')).toBe(true)
  })
})

describe('delivery', () => {
  test('an envelope goes to every stream of every session that registered its recipient, once each', () => {
    const bench = new Workbench()
    const one = bench.session('cc', 'one', { entities: ['agent.a', 'agent.a', 'agent.b'] })
    const two = bench.session('cc', 'two', { entities: ['agent.a'] })
    const other = bench.session('cc', 'other', { entities: ['agent.A', 'agent.ab'] })
    const readers = [bench.open(one), bench.open(one), bench.open(two), bench.open(other)]

    const envelope = bench.envelope({ to: 'agent.a' })
    const reply = bench.publishEnvelope(envelope)

    expect(reply).toMatchObject({ recipient_count: 3, queued_count: 0 })
    expect(readers.map(({ sink }) => sink.envelopeIds)).toEqual([
      [envelope.id],
      [envelope.id],
      [envelope.id],
      [],
    ])
    // One address per session, however many streams it has.
    const { receipts } = bench.broker.receipts.describe(bench.broker.receipts.requireEnvelope(envelope.id))
    expect(receipts.map(({ address, state }) => [address, state])).toEqual([
      ['~alice/cc@one', 'emitted'],
      ['~alice/cc@two', 'emitted'],
    ])
  })

  test('a channel reaches whoever registered it or names it on a stream, and the sender among them (AEE-C21)', () => {
    const bench = new Workbench()
    const sender = bench.session('cc', 'sender', { entities: ['agent.a', 'bus.ops'] })
    const listener = bench.session('cc', 'listener')
    const [own, named, deaf] = [
      bench.open(sender),
      bench.open(listener, { entities: ['bus.ops'] }),
      bench.open(listener),
    ]

    const reply = bench.tell({ from: 'agent.a', to: 'bus.ops' }, sender)

    expect(reply.recipient_count).toBe(2)
    expect([own, named, deaf].map(({ sink }) => sink.envelopes.length)).toEqual([1, 1, 0])
  })

  test('what a stream names is heard by that stream while it is open, and does not wait in a mailbox', () => {
    const bench = new Workbench()
    const session = bench.session('cc', 's1', { mailbox: true })
    const first = bench.open(session, { entities: ['agent.a'] })
    const second = bench.open(session, { entities: ['agent.a', 'agent.b'] })

    expect(bench.tell({ to: 'agent.a' }).recipient_count).toBe(2)
    first.subscription.closed()
    expect(bench.tell({ to: 'agent.a' }).recipient_count).toBe(1)
    second.subscription.closed()
    expect(bench.tell({ to: 'agent.a' })).toMatchObject({ recipient_count: 0, queued_count: 0 })
    expect(session.mailbox?.unread).toBe(0)
  })

  test('a visitor hears what its stream names, and goes with it', () => {
    const bench = new Workbench()
    const visitor = bench.broker.sessions.visit({
      handle: '~alice',
      instrument: 'cli',
      sessionId: 'v1',
      tool: 'other',
    })
    const { sink, subscription } = bench.open(visitor, { entities: ['human.adam'] })

    expect(bench.tell({ to: 'human.adam' }).recipient_count).toBe(1)
    subscription.closed()
    expect(bench.tell({ to: 'human.adam' }).recipient_count).toBe(0)
    expect(sink.envelopes).toHaveLength(1)
  })

  test('a filter for a kind of frame keeps a session’s envelopes out, and they wait in its mailbox (docs/http.md §7)', () => {
    const bench = new Workbench()
    const session = bench.session('cc', 's1', { entities: ['agent.a'], mailbox: true })
    const { sink } = bench.open(session, { filter: 'kind:agent_query' })
    const envelope = bench.envelope({ to: 'agent.a' })

    expect(bench.publishEnvelope(envelope)).toMatchObject({ recipient_count: 0, queued_count: 1 })
    expect(sink.envelopes).toEqual([])
    expect(bench.drainEnvelopes(session)).toEqual([JSON.stringify(envelope)])
    expect(bench.drainEnvelopes(session)).toEqual([])
  })

  test('another stream of the session that takes it is enough: it does not wait as well', () => {
    const bench = new Workbench()
    const session = bench.session('cc', 's1', { entities: ['agent.a'], mailbox: true })
    const narrow = bench.open(session, { filter: 'kind:agent_query' })
    const wide = bench.open(session)

    expect(bench.tell({ to: 'agent.a' })).toMatchObject({ recipient_count: 1, queued_count: 0 })
    expect([narrow, wide].map(({ sink }) => sink.envelopes.length)).toEqual([0, 1])
  })

  test('a stream gets what it names itself in spite of a kind in its filter, live and on resuming', () => {
    const bench = new Workbench()
    const session = bench.session('cc', 's1', { entities: ['agent.mine'] })
    const options = { filter: 'kind:agent_query', entities: ['bus.ops'] }
    const live = bench.open(session, options)
    const sent = [bench.envelope({ to: 'bus.ops' }), bench.envelope({ to: 'agent.mine' })]
    for (const envelope of sent) bench.publishEnvelope(envelope)

    const resumed = bench.open(session, { ...options, cursor: 'e1-0' })
    bench.turn()
    const replayed = bench.open(session, { ...options, replay: 10 })
    bench.turn()

    for (const { sink } of [live, resumed, replayed]) expect(sink.envelopeIds).toEqual([sent[0]?.id])
  })

  test.each([
    ['sender:~bob', 0],
    ['sender:~alice', 1],
    ['tool:codex', 0],
    ['tool:cc', 1],
    ['content_type:x', 0],
    ['kind:agent_query,tool:cc', 1],
    ['kind:agent_query,tool:codex', 0],
  ])('the other clauses of a filter hold for what a stream names itself: %s', (filter, count) => {
    const bench = new Workbench()
    const writer = bench.session('cc', 'writer', { tool: 'cc', entities: ['agent.w'] })
    const { sink } = bench.open(bench.session('cc', 's1'), { filter, entities: ['bus.ops'] })

    expect(bench.tell({ from: 'agent.w', to: 'bus.ops' }, writer).recipient_count).toBe(count)
    expect(sink.envelopes).toHaveLength(count)
  })

  test('a sender never gets its own from its inbox, by whatever entity it would hear', () => {
    const bench = new Workbench()
    const sender = bench.session('cc', 's1', { entities: ['agent.a', 'bus.ops'], mailbox: true })
    const other = bench.session('cc', 's2', { entities: ['bus.ops'], mailbox: true })

    expect(bench.tell({ from: 'agent.a', to: 'bus.ops' }, sender).queued_count).toBe(1)
    expect(bench.tell({ from: 'agent.a', to: 'agent.a' }, sender).queued_count).toBe(0)
    expect([sender, other].map((session) => bench.drainEnvelopes(session).length)).toEqual([0, 1])
  })

  test('a reader that comes back after its cursor gets its envelopes in their places among the frames (R-15)', () => {
    const bench = new Workbench()
    const session = bench.session('cc', 's1', { entities: ['agent.a'] })
    bench.publish()
    bench.tell({ to: 'agent.a' })
    bench.tell({ to: 'bus.ops' })
    bench.publish()
    bench.tell({ to: 'agent.a' })

    const { sink } = bench.open(session, { cursor: 'e1-1' })
    bench.turn()

    expect(sink.events.map(({ event, id }) => [event, id])).toEqual([
      ['aee_envelope', 'e1-2'],
      ['agent_frame', 'e1-4'],
      ['aee_envelope', 'e1-5'],
    ])
  })

  test('envelopes and frames of one turn keep their order at a reader that hears both', () => {
    const bench = new Workbench()
    const { sink } = bench.open(bench.session('cc', 's1', { entities: ['agent.a'] }))
    for (let i = 0; i < 4; i += 1) {
      bench.submit(bench.frame())
      bench.submitEnvelope(bench.envelope({ to: 'agent.a' }))
      bench.submitEnvelope(bench.envelope({ to: 'bus.ops' }))
    }
    bench.turn()

    const ids = sink.events.map(({ id }) => id)
    expect(ids).toEqual([1, 2, 4, 5, 7, 8, 10, 11].map((seq) => `e1-${seq}`))
  })

  test('more recipients than one submission may reach are refused, field "to", and nothing has happened', () => {
    const bench = new Workbench({ limits: { fanOut: 2 } })
    const session = bench.session('cc', 's1', { entities: ['agent.a'] })
    bench.session('cc', 's2', { entities: ['agent.a'], mailbox: true })
    bench.open(session)
    const envelope = bench.envelope({ to: 'agent.a' })
    expect(bench.tell({ to: 'agent.a' })).toMatchObject({ recipient_count: 1, queued_count: 1 })
    const third = bench.open(session)

    expect(refusalOf(() => bench.publishEnvelope(envelope))).toEqual({
      code: 'fanout-too-large',
      field: 'to',
    })
    expect(bench.ring.count).toBe(1)
    third.subscription.closed()
    expect(bench.publishEnvelope(envelope)).not.toHaveProperty('duplicate')
  })

  test('a successor gets the envelopes that waited, and settles their receipts', () => {
    const bench = new Workbench()
    bench.session('cc', 'old', { entities: ['agent.a'], mailbox: true })
    const envelope = bench.envelope({ to: 'agent.a' })
    bench.publishEnvelope(envelope)
    const heir = bench.session('cc', 'new', { mailbox: true, successor_of: 'cc@old' })

    expect(bench.drainEnvelopes(heir)).toEqual([JSON.stringify(envelope)])
    const { receipts } = bench.broker.receipts.describe(bench.broker.receipts.requireEnvelope(envelope.id))
    expect(receipts).toMatchObject([{ address: '~alice/cc@old', state: 'seen' }])
  })

  test('an envelope that is forgotten waits for nobody and is lost to nobody', async () => {
    const bench = new Workbench()
    const session = bench.session('cc', 's1', { entities: ['agent.a'], mailbox: true })
    const envelope = bench.envelope({ to: 'agent.a' })
    bench.publishEnvelope(envelope)
    bench.tell({ to: 'agent.a' })

    expect(await bench.forget({ key: `aee:${envelope.id}` })).toBe(1)

    expect(session.mailbox?.unread).toBe(1)
    expect(bench.drain(session).gap).toBeNull()
    expect(refusalOf(() => bench.broker.receipts.requireEnvelope(envelope.id))?.code).toBe('not-found')
  })
})
