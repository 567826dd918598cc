import { expect, test, vi } from 'vitest'
import type { Need } from '../../src/protocol/http/need.ts'
import type { Session } from '../../src/broker/session/session.ts'
import { MAX_FORGOTTEN_RUNS, Watchers } from '../../src/broker/watch.ts'
import { MAX_ASIDE_OCTETS } from '../../src/broker/stream/watcher.ts'
import { ArraySink, Workbench } from './workbench.ts'

const SNAPSHOT = 'event: agentd_snapshot\ndata: {"is":"first"}\n\n'

/** A need as whoever works them out says it. */
const NEED: Need = {
  need_id: '4f1c0a52-3a6e-4c0e-9d0b-0a8f6f1e2d3c',
  type: 'question',
  addressed: 'you',
  event_id: 'e1-1',
  asked_at: '2026-01-01T00:00:00.000Z',
  until: null,
  state: 'open',
  from: { address: null, title: null, repository: null, branch: null, present: true },
  text: 'May I?',
}

function watch(
  bench: Workbench,
  {
    session,
    sink = new ArraySink(),
    ...wish
  }: {
    session?: Session
    sink?: ArraySink
    cursor?: string
    replay?: number
  } = {},
) {
  const watcher = bench.broker.watchers.open({ address: session?.address, snapshot: SNAPSHOT, ...wish }, sink)
  return { sink, watcher }
}

/** What a sink got of one event, read. */
function told(sink: ArraySink, event: string): Record<string, unknown>[] {
  return sink.events.filter((one) => one.event === event).map(({ data }) => JSON.parse(data ?? ''))
}

/** The places of what passed. */
function idsOf({ sink }: { sink: ArraySink }): readonly (string | undefined)[] {
  return sink.events.flatMap(({ id, event }) => (event === 'agentd_passed' ? [id] : []))
}

test('a watch begins with how everything is, and says where each item came from and went (W-1)', () => {
  const bench = new Workbench()
  const sender = bench.session('cc', 's1')
  bench.open(bench.session('codex', 's2', { entities: ['agent.a'] }))
  const { sink } = watch(bench)

  const scope = '~alice/codex@s2'
  const reply = bench.publish({ from: sender, scope })
  const envelope = bench.tell({ to: 'agent.a', priority: 'high' })

  expect(sink.text.startsWith(`retry: 1000\n: agentd e1-0\n\n${SNAPSHOT}`)).toBe(true)
  expect(sink.events.map(({ id, event }) => [id, event]).slice(1)).toEqual([
    [reply.event_id, 'agentd_passed'],
    [envelope.event_id, 'agentd_passed'],
  ])
  expect(told(sink, 'agentd_passed')).toEqual([
    {
      sender: '~alice/cc@s1',
      scope,
      accepted_at: expect.stringMatching(/Z$/),
      recipient_count: 1,
      queued_count: 0,
      frame: expect.objectContaining({ frame_id: reply.frame_id }),
    },
    {
      sender: null,
      scope: 'agent.a',
      accepted_at: expect.stringMatching(/Z$/),
      recipient_count: 1,
      queued_count: 0,
      envelope: expect.objectContaining({ id: envelope.id }),
      effective_priority: 'high',
      late: false,
    },
  ])
})

test('a watch goes on behind a cursor, or so many back, and one that says nothing is a gap (W-1, ACQ-22)', () => {
  const bench = new Workbench()
  for (let i = 0; i < 4; i += 1) bench.publish()

  const behind = watch(bench, { cursor: 'e1-2', replay: 4 })
  const back = watch(bench, { replay: 3 })
  const now = watch(bench)
  const lost = watch(bench, { cursor: 'e1-9' })
  bench.turn()

  expect([behind, back, now, lost].map(idsOf)).toEqual([['e1-3', 'e1-4'], ['e1-2', 'e1-3', 'e1-4'], [], []])
  expect(lost.sink.events.map(({ event }) => event)).toEqual(['agentd_snapshot', 'agentd_gap'])
  expect(lost.sink.gaps).toMatchObject([{ reason: 'unknown-id', requested: 'e1-9' }])
})

test('a watch that takes nothing costs a frame nothing, and still misses none of them (SEAT-07)', () => {
  const bench = new Workbench({ limits: { subscriptionBytes: 2_048 } })
  const stopped = watch(bench)
  stopped.sink.stop()
  for (let i = 0; i < 8; i += 1) bench.publish()
  expect(stopped.watcher.isLive).toBe(false)
  // Whatever is encoded for a watch has its place asked for.
  const places = vi.spyOn(bench.ring, 'eventId')
  const asked = (): number => {
    places.mockClear()
    bench.publish()
    return places.mock.calls.length
  }

  const beside = asked()
  const { watcher } = watch(bench)
  const watched = asked()
  watcher.closed()
  expect(asked()).toBe(beside)
  expect(watched).toBe(beside + 1)
  stopped.sink.goOn()
  stopped.watcher.drained()
  while (!stopped.watcher.isLive) bench.turn()
  expect(idsOf(stopped)).toEqual(Array.from({ length: 11 }, (_, i) => `e1-${i + 1}`))
})

test('who comes, changes and goes is told, each once a turn, and nobody whom the turn brought and took (W-1)', () => {
  const bench = new Workbench()
  const there = bench.session('cc', 's1')
  const { sink } = watch(bench)

  const { session, token } = bench.register({ instrument: 'codex', session_id: 's2', title: 'one' })
  bench.register({ instrument: 'codex', session_id: 's2', title: 'two' }, { session, token })
  bench.broker.sessions.close(bench.session('codex', 's3'))
  bench.turn()
  bench.open(there)
  bench.broker.sessions.close(session)
  bench.turn()

  const lines = told(sink, 'agentd_session').map((one) => [one['change'], one['session']])
  expect(lines).toEqual([
    ['came', expect.objectContaining({ address: '~alice/codex@s2', title: 'two' })],
    ['changed', expect.objectContaining({ address: '~alice/cc@s1', subscriptions: 1 })],
    ['went', expect.objectContaining({ address: '~alice/codex@s2' })],
  ])
  expect(sink.lastEventId).toBeUndefined()
})

test('a session that says what it does is told as changed, and not when it says the same again (W-1, W-4)', () => {
  const bench = new Workbench()
  const session = bench.session('cc', 's1')
  const { sink } = watch(bench)

  for (const text of ['May I?', 'May I?', 'And now?']) {
    bench.broker.setActivity(session, { state: 'waiting', reason: 'question', text })
    bench.turn()
  }

  expect(told(sink, 'agentd_session')).toMatchObject([
    { change: 'changed', session: { activity: { text: 'May I?' } } },
    { change: 'changed', session: { activity: { text: 'And now?' } } },
  ])
})

test('receipts are told to who sent: the session that watches, and the principal (W-1)', () => {
  const bench = new Workbench()
  const [own, other] = [bench.session('cc', 's1'), bench.session('cc', 's2')]
  const reader = bench.session('codex', 's3', { mailbox: true })
  const scope = reader.address
  const [byOwn, byOther, byPrincipal] = [own, other, undefined].map((from) => bench.publish({ from, scope }))
  const watches = [watch(bench, { session: own }), watch(bench)]

  bench.drain(reader)

  expect(watches.map(({ sink }) => told(sink, 'agentd_receipt').map((one) => one['event_id']))).toEqual([
    [byOwn!.event_id, byPrincipal!.event_id],
    [byPrincipal!.event_id],
  ])
  expect(told(watches[1]!.sink, 'agentd_receipt')).toEqual([
    { event_id: byPrincipal!.event_id, address: scope, state: 'seen', at: expect.stringMatching(/Z$/) },
  ])
  expect(byOther!.queued_count).toBe(1)
})

test('what is handed over is told as that, and so is that it waits again, or was seen (W-1, OP-09)', () => {
  const bench = new Workbench()
  const reader = bench.session('codex', 's3', { mailbox: true })
  bench.publish({ scope: reader.address })
  const { sink } = watch(bench)
  const steps = [
    { handed: undefined, state: 'handed' },
    { handed: 'returned', peek: true },
    { handed: undefined, state: 'handed' },
    { handed: 'seen', peek: true },
  ] as const

  for (const step of steps) bench.drain(reader, step)

  const states = told(sink, 'agentd_receipt').map(({ address, state }) => [address, state])
  expect(states).toEqual(['handed', 'queued', 'handed', 'seen'].map((state) => [reader.address, state]))
})

test('what needs the person is told to everybody who watches (W-1, W-3)', () => {
  const bench = new Workbench()
  const watches = [watch(bench), watch(bench)]

  bench.broker.watchers.announceNeed('opened', NEED)

  for (const { sink } of watches)
    expect(told(sink, 'agentd_need')).toEqual([{ change: 'opened', need: NEED }])
})

test('what was forgotten is told to everybody who watches, by runs of places, frames and envelopes alike (W-1, SEAT-23)', async () => {
  const bench = new Workbench()
  const watches = [watch(bench), watch(bench)]
  bench.open(bench.session('codex', 's2', { entities: ['agent.a'] }))
  for (let i = 0; i < 3; i += 1) bench.publish()
  bench.tell({ to: 'agent.a' })
  const { lastSeq } = bench.broker.ring
  bench.publish()

  const forgotten = await bench.forget({ upToSeq: lastSeq })
  const again = await bench.forget({ upToSeq: lastSeq })

  expect([forgotten, again]).toEqual([4, 0])
  for (const { sink } of watches)
    expect(told(sink, 'agentd_forgotten')).toEqual([{ epoch: 'e1', runs: [{ first: 1, last: 4 }] }])
})

test('of more runs than one event tells there are more events, and nobody is told of what nobody sees (W-1)', async () => {
  const bench = new Workbench()
  const count = 2 * MAX_FORGOTTEN_RUNS + 2
  const every = Array.from({ length: count / 2 }, (_, i) => ({ first: 2 * i + 1, last: 2 * i + 1 }))
  const { watchers } = bench.broker
  if (!(watchers instanceof Watchers)) throw new TypeError('these are no watches')
  watchers.forgot(every)
  const { sink } = watch(bench)

  watchers.forgot(every)

  const events = told(sink, 'agentd_forgotten')
  expect(events.map(({ runs }) => (Array.isArray(runs) ? runs.length : runs))).toEqual([
    MAX_FORGOTTEN_RUNS,
    1,
  ])
})

test('a turn is encoded once, whoever watches, and written in one go (SEAT-07)', () => {
  const bench = new Workbench()
  const chunks: Buffer[][] = []
  class KeepingSink extends ArraySink {
    override write(written: readonly Buffer[]): boolean {
      chunks.push([...written])
      return super.write(written)
    }
  }
  for (let i = 0; i < 3; i += 1) watch(bench, { sink: new KeepingSink() })
  chunks.length = 0

  bench.submit(bench.frame())
  bench.submit(bench.frame())
  bench.turn()

  expect(chunks).toHaveLength(3)
  expect(new Set(chunks.flat()).size).toBe(1)
})

test('a watcher that takes nothing is cut in time, and so is one that lets too much wait which no ring holds (R-27, SEAT-07)', () => {
  const bench = new Workbench()
  const slow = watch(bench)
  const behind = watch(bench)
  const room = Math.floor(MAX_ASIDE_OCTETS / 600_000)
  for (const { sink } of [slow, behind]) sink.stop()
  bench.publish()
  const need = { ...NEED, text: 'x'.repeat(600_000) }

  for (let i = 0; i < room; i += 1) bench.broker.watchers.announceNeed('changed', need)
  behind.sink.goOn()
  behind.watcher.drained()
  bench.broker.watchers.announceNeed('changed', need)
  const cutForRoom = slow.sink.hasEnded
  behind.sink.stop()
  bench.publish()
  bench.clock.advance(30_000)

  expect([cutForRoom, behind.sink.hasEnded]).toEqual([true, true])
  expect(told(behind.sink, 'agentd_need')).toHaveLength(room + 1)
  behind.sink.goOn()
  expect(behind.sink.byes).toEqual([{ reason: 'slow-consumer' }])
  expect(bench.broker.watchers.count).toBe(0)
})

test('as many may watch as the limit says, and one more is told to come later (SEAT-06)', () => {
  const bench = new Workbench({ limits: { watchers: 2 } })
  const first = watch(bench)
  watch(bench)
  const ask = (): void => bench.broker.watchers.requireRoom()

  expect(ask).toThrow(expect.objectContaining({ code: 'busy', retryAfterMs: 1_000 }))
  first.watcher.closed()
  expect(ask).not.toThrow()
})

test('a watch is told when the sequence begins anew, and sent home when the daemon goes (R-40)', () => {
  const bench = new Workbench()
  bench.publish()
  const { sink } = watch(bench)

  bench.ring.onReset?.('corrupt', 'e0')
  bench.broker.close()

  expect(sink.gaps).toMatchObject([{ reason: 'corrupt', missed: null }])
  expect(sink.byes).toEqual([{ reason: 'shutdown' }])
  expect(bench.clock.pendingTimers).toBe(0)
})
