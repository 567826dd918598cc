import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SubmissionReply } from '../../src/protocol/http/frame-replies.ts'
import { ArraySink, Workbench } from './workbench.ts'

function publishMany(bench: Workbench, count: number): readonly SubmissionReply[] {
  return Array.from({ length: count }, () => bench.publish())
}

test('a stream begins with the reconnect delay and its place, at once and in one write (SSE-13, SSE-14)', () => {
  const bench = new Workbench()
  publishMany(bench, 3)

  const { sink } = bench.open(bench.session('cc', 's1'))

  expect(sink.text).toBe('retry: 1000\n: agentd e1-3\n\n')
  expect(sink.writes).toBe(1)
})

test('a frame event is its id, its name and the accepted object on one line (AC-141, ACQ-20)', () => {
  const bench = new Workbench()
  const { sink } = bench.open(bench.session('cc', 's1'))
  const frame = bench.frame()

  bench.publishFrame(frame)

  expect(sink.text).toBe(
    `retry: 1000\n: agentd e1-0\n\nid: e1-1\nevent: agent_frame\ndata: ${JSON.stringify(frame)}\n\n`,
  )
})

test('a reader cut anywhere resumes after its last complete event, and has every frame exactly once (R-15)', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          frames: fc.nat({ max: 6 }),
          away: fc.nat({ max: 6 }),
          cut: fc.double({ min: 0, max: 1, noNaN: true }),
        }),
        {
          maxLength: 12,
        },
      ),
      (connections) => {
        const bench = new Workbench()
        const session = bench.session('cc', 's1')
        const sent: string[] = []
        const received: string[] = []
        let cursor: string | undefined = 'e1-0'
        const publish = (): void => {
          const frame = bench.frame({ scope: '~alice/cc@s1' })
          bench.publishFrame(frame, { scope: '~alice/cc@s1' })
          sent.push(frame.frame_id)
        }

        for (const { frames, away, cut } of [...connections, { frames: 1, away: 0, cut: 1 }]) {
          const { sink, subscription } = bench.open(session, { cursor })
          for (let i = 0; i < frames; i += 1) publish()
          subscription.closed()
          // What the reader got is the beginning of it, cut inside whatever it was cut inside.
          const bytes = Buffer.from(sink.text)
          const got = bytes.subarray(0, Math.ceil(bytes.length * cut)).toString('utf8')
          const complete = got.slice(0, got.lastIndexOf('\n\n') + 2)
          for (const [, id, data] of complete.matchAll(
            /^id: (\S+)\n(?:event: agent_frame\ndata: (.+)\n)?/gm,
          )) {
            cursor = id
            if (data !== undefined) received.push(JSON.parse(data).frame_id)
          }
          for (let i = 0; i < away; i += 1) publish()
        }
        const { sink } = bench.open(session, { cursor })

        expect([...received, ...sink.frameIds]).toEqual(sent)
        expect(sink.gaps).toEqual([])
      },
    ),
    { numRuns: 300 },
  )
})

test('a long replay comes in pages, with new frames behind it, each once and in order (R-15, R-12)', () => {
  const bench = new Workbench()
  publishMany(bench, 700)
  const { sink } = bench.open(bench.session('cc', 's1'), { cursor: 'e1-0' })
  const afterFirstPage = sink.seqs.length

  bench.submit(bench.frame())
  bench.step()
  bench.turn()

  expect(afterFirstPage).toBeGreaterThan(0)
  expect(afterFirstPage).toBeLessThan(700)
  expect(sink.seqs).toEqual(Array.from({ length: 701 }, (_, i) => i + 1))
})

test('replay=n begins with the newest n frames that the stream would show (docs/http.md §6)', () => {
  const bench = new Workbench()
  const session = bench.session('cc', 's1')
  const shown = Array.from({ length: 6 }, (_, i) => {
    bench.publish({ kind: 'agent_query' })
    bench.publish({ scope: '~alice/codex*' })
    return bench.publish({ kind: i % 2 === 0 ? 'agent_advisory' : 'agent_broadcast' }).frame_id
  })

  const some = bench.open(session, { filter: 'kind:agent_advisory', replay: 2 })
  const none = bench.open(session, { replay: 0 })
  const all = bench.open(session, { replay: 1_000 })

  expect(some.sink.frameIds).toEqual([shown[2], shown[4]])
  expect(none.sink.frameIds).toEqual([])
  expect(all.sink.frameIds).toHaveLength(12)
})

test('a cursor wins over replay=n (docs/http.md §6)', () => {
  const bench = new Workbench()
  publishMany(bench, 5)

  const { sink } = bench.open(bench.session('cc', 's1'), { cursor: 'e1-4', replay: 3 })

  expect(sink.seqs).toEqual([5])
})

test('a reader whose place was trimmed is told how much is gone, before any later frame (R-16)', () => {
  const bench = new Workbench({ retention: { maxFrames: 10 } })
  publishMany(bench, 30)

  const { sink } = bench.open(bench.session('cc', 's1'), { cursor: 'e1-7' })

  expect(sink.gaps).toEqual([{ reason: 'trimmed', requested: 'e1-7', oldest: 'e1-21', missed: 13 }])
  expect(sink.events.map(({ event }) => event)).toEqual(['agentd_gap', ...Array(10).fill('agent_frame')])
  expect(sink.seqs).toEqual([21, 22, 23, 24, 25, 26, 27, 28, 29, 30])
})

test('a cursor at the edge of what is retained has missed nothing and is told no gap (R-16)', () => {
  const bench = new Workbench({ retention: { maxFrames: 10 } })
  publishMany(bench, 30)

  const { sink } = bench.open(bench.session('cc', 's1'), { cursor: 'e1-20' })

  expect(sink.gaps).toEqual([])
  expect(sink.seqs).toEqual([21, 22, 23, 24, 25, 26, 27, 28, 29, 30])
})

test('a cursor at the newest frame has missed nothing and is told no gap (R-16)', () => {
  const bench = new Workbench()
  publishMany(bench, 3)

  const { sink } = bench.open(bench.session('cc', 's1'), { cursor: 'e1-3' })
  bench.publish()

  expect(sink.gaps).toEqual([])
  expect(sink.seqs).toEqual([4])
})

test('frames trimmed by size and by age are told as well (R-16)', () => {
  const small = new Workbench({ retention: { maxBytes: 10_000 } })
  const young = new Workbench({ retention: { maxAgeMs: 60_000 } })
  publishMany(small, 50)
  publishMany(young, 5)
  young.clock.advance(60_001)
  publishMany(young, 1)

  const bySize = small.open(small.session('cc', 's1'), { cursor: 'e1-0' })
  const byAge = young.open(young.session('cc', 's1'), { cursor: 'e1-0' })

  const [gap] = bySize.sink.gaps
  expect(small.ring.bytes).toBeLessThanOrEqual(10_000)
  expect(gap).toMatchObject({ reason: 'trimmed', requested: 'e1-0', missed: small.ring.firstSeq - 1 })
  expect(bySize.sink.seqs[0]).toBe(small.ring.firstSeq)
  expect(byAge.sink.gaps).toEqual([{ reason: 'trimmed', requested: 'e1-0', oldest: 'e1-6', missed: 5 }])
})

test.each([
  ['another epoch', 'e0-5', 'epoch'],
  ['another epoch and a huge number', 'zz-999999999999', 'epoch'],
  ['the future', 'e1-6', 'unknown-id'],
  ['the far future', 'e1-9007199254740991', 'unknown-id'],
  ['no id at all', 'what', 'unknown-id'],
  ['a negative number', 'e1--1', 'unknown-id'],
  ['a fraction', 'e1-1.5', 'unknown-id'],
  ['leading zeros', 'e1-01', 'unknown-id'],
  ['more digits than a number holds', `e1-${'9'.repeat(16)}`, 'unknown-id'],
  ['ten thousand characters', `e1-${'1'.repeat(10_000)}`, 'unknown-id'],
  ['control characters', 'e1-1\0', 'unknown-id'],
])(
  'a cursor of %s is answered by a gap and the place where the stream goes on (R-16, R-17, ACQ-22, AC-144)',
  (_says, cursor, reason) => {
    const bench = new Workbench()
    publishMany(bench, 5)

    const { sink } = bench.open(bench.session('cc', 's1'), { cursor })
    bench.publish()

    expect(sink.gaps).toEqual([{ reason, requested: cursor, oldest: 'e1-1', missed: null }])
    expect(sink.blocks.map(({ id, event }) => event ?? id)).toEqual([
      undefined,
      'agentd_gap',
      'e1-5',
      'agent_frame',
    ])
    expect(sink.seqs).toEqual([6])
  },
)

test('on an empty ring a gap has no oldest event (R-17)', () => {
  const bench = new Workbench()

  const { sink } = bench.open(bench.session('cc', 's1'), { cursor: 'e0-5' })

  expect(sink.gaps).toEqual([{ reason: 'epoch', requested: 'e0-5', oldest: null, missed: null }])
})

test('a cursor of 0 and an empty one are no mistakes (R-17)', () => {
  const bench = new Workbench()
  publishMany(bench, 2)

  const all = bench.open(bench.session('cc', 's1'), { cursor: 'e1-0' })
  const now = bench.open(bench.session('cc', 's2'), { cursor: '' })

  expect(all.sink.seqs).toEqual([1, 2])
  expect(all.sink.gaps).toEqual([])
  expect(now.sink.text).toBe('retry: 1000\n: agentd e1-2\n\n')
})

test('every place a reader misses is covered by gaps that come before any later frame, however slow it is (R-16)', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.record({ do: fc.constant('publish' as const), count: fc.integer({ min: 1, max: 40 }) }),
          fc.record({ do: fc.constantFrom('stop', 'goOn', 'step'), count: fc.constant(1) }),
        ),
        { maxLength: 40 },
      ),
      (moves) => {
        const bench = new Workbench({ retention: { maxFrames: 20 }, limits: { subscriptionBytes: 4_000 } })
        const { sink, subscription } = bench.open(bench.session('cc', 's1'))
        let isStopped = false
        const goOn = (): void => {
          sink.goOn()
          if (isStopped) subscription.drained()
          isStopped = false
        }

        for (const move of moves) {
          if (move.do === 'publish') {
            for (let i = 0; i < move.count; i += 1) bench.submit(bench.frame())
            bench.step()
          } else if (move.do === 'stop') {
            sink.stop()
            isStopped = true
          } else if (move.do === 'goOn') goOn()
          else bench.step()
        }
        goOn()
        bench.turn()

        let place = 0
        for (const { event, data, id } of sink.events) {
          if (event === 'agentd_gap') {
            const gap = JSON.parse(data ?? '')
            expect(gap).toMatchObject({ reason: 'overflow', requested: `e1-${place}` })
            place += gap.missed
            expect(gap.oldest).toBe(`e1-${place + 1}`)
          } else {
            place += 1
            expect(id).toBe(`e1-${place}`)
          }
        }
        expect(place).toBe(bench.ring.lastSeq)
      },
    ),
    { numRuns: 400 },
  )
})

test('a stopped reader costs nobody else a frame, and holds no more than its bytes (R-27, SSE-15)', () => {
  const bench = new Workbench({ retention: { maxFrames: 50 }, limits: { subscriptionBytes: 10_000 } })
  const stopped = bench.open(bench.session('cc', 's1'))
  const healthy = bench.open(bench.session('cc', 's2'))
  stopped.sink.stop()

  const replies = publishMany(bench, 200)

  expect(healthy.sink.seqs).toHaveLength(200)
  const frameBytes = Buffer.byteLength(healthy.sink.events[0]?.data ?? '')
  expect(stopped.sink.backlogBytes).toBeLessThan(10_000 + 2 * frameBytes + 200)
  expect(replies[0]!.recipient_count).toBe(2)
})

test('a slow reader that comes back is told what the ring has passed, and gets the rest (R-27, R-16)', () => {
  const bench = new Workbench({ retention: { maxFrames: 50 }, limits: { subscriptionBytes: 10_000 } })
  const { sink, subscription } = bench.open(bench.session('cc', 's1'))
  sink.stop()
  publishMany(bench, 200)

  sink.goOn()
  subscription.drained()
  bench.turn()

  expect(sink.gaps).toEqual([
    {
      reason: 'overflow',
      requested: expect.stringMatching(/^e1-\d+$/),
      oldest: 'e1-151',
      missed: expect.any(Number),
    },
  ])
  expect(sink.seqs.slice(-50)).toEqual(Array.from({ length: 50 }, (_, i) => 151 + i))
  expect(sink.seqs.length + Number(sink.gaps[0]!['missed'])).toBe(200)
  expect(bench.broker.counters.gapsTold).toBe(1)
})

test('a slow reader that comes back in time misses nothing (R-15, R-27)', () => {
  const bench = new Workbench({ limits: { subscriptionBytes: 2_000 } })
  const { sink, subscription } = bench.open(bench.session('cc', 's1'))
  sink.stop()
  publishMany(bench, 20)

  sink.goOn()
  subscription.drained()
  bench.turn()
  bench.publish()

  expect(sink.seqs).toEqual(Array.from({ length: 21 }, (_, i) => i + 1))
})

test('a reader over its bytes whose socket never asked for patience goes on from the ring (R-27)', () => {
  const bench = new Workbench({ limits: { subscriptionBytes: 500 } })
  // A socket asks at 16 KiB, and then says when it has drained; below that it says nothing.
  const { sink } = bench.open(bench.session('cc', 's1'), { sink: new ArraySink(16_384) })
  sink.stop()
  publishMany(bench, 3)

  sink.goOn()
  publishMany(bench, 2)

  expect(sink.seqs).toEqual([1, 2, 3, 4, 5])
})

test('a reader that takes nothing for slowConsumerMs is cut with a bye that says so, not sooner (R-27)', () => {
  const bench = new Workbench({ limits: { slowConsumerMs: 30_000, keepAliveMs: 15_000 } })
  const session = bench.session('cc', 's1')
  const { sink, subscription } = bench.open(session)
  sink.stop()
  bench.publish()

  bench.clock.advance(29_999)
  const before = subscription.isOpen
  bench.clock.advance(1)

  expect(before).toBe(true)
  expect(subscription.isOpen).toBe(false)
  expect(sink.hasEnded).toBe(true)
  sink.goOn()
  expect(sink.byes).toEqual([{ reason: 'slow-consumer' }])
  expect(session.subscriptions.size).toBe(0)
  expect(bench.broker.counters.streamsCutSlow).toBe(1)
  expect(bench.publish().recipient_count).toBe(0)
})

test('a reader that is always a little behind but keeps taking is not cut (R-27)', () => {
  const bench = new Workbench({ limits: { slowConsumerMs: 30_000 } })
  const { sink, subscription } = bench.open(bench.session('cc', 's1'))
  sink.stop()
  for (let i = 0; i < 4; i += 1) bench.publish()

  // Its buffer is never empty, so its socket never says that it has drained.
  for (let second = 0; second < 120; second += 1) {
    bench.publish()
    sink.take(1)
    bench.clock.advance(1_000)
  }

  expect(subscription.isOpen).toBe(true)
  expect(sink.backlogBytes).toBeGreaterThan(0)
})

test('a reader that takes a byte now and then is cut like one that takes nothing (R-35)', () => {
  const bench = new Workbench({ limits: { slowConsumerMs: 30_000 } })
  const { sink, subscription } = bench.open(bench.session('cc', 's1'))
  sink.stop()

  for (let second = 0; second < 45; second += 1) {
    bench.publish()
    if (second % 10 === 0) sink.take(1)
    bench.clock.advance(1_000)
  }

  expect(subscription.isOpen).toBe(false)
})

test('a reader that drained in time is not cut later (R-27)', () => {
  const bench = new Workbench({ limits: { slowConsumerMs: 30_000 } })
  const { sink, subscription } = bench.open(bench.session('cc', 's1'))
  sink.stop()
  bench.publish()
  bench.clock.advance(29_000)
  sink.goOn()
  subscription.drained()

  bench.clock.advance(120_000)

  expect(subscription.isOpen).toBe(true)
  expect(sink.byes).toEqual([])
})

test('silence brings a keep-alive with the place that has been reached, and speaking puts it off (AC-139, ACQ-33, R-16)', () => {
  const bench = new Workbench({ limits: { keepAliveMs: 15_000 } })
  const { sink } = bench.open(bench.session('cc', 's1'), { filter: 'kind:agent_query' })
  bench.clock.advance(14_999)
  const early = sink.blocks.length
  bench.publish()
  bench.clock.advance(1)

  const [, keepAlive] = sink.blocks
  bench.clock.advance(10_000)
  bench.publish({ kind: 'agent_query' })
  bench.clock.advance(14_999)
  const spoken = sink.blocks.length
  bench.clock.advance(1)

  expect(early).toBe(1)
  expect(sink.text).toContain(': keep-alive\nid: e1-1\n\n')
  expect(keepAlive).toMatchObject({ id: 'e1-1', event: undefined, data: undefined, comment: 'keep-alive' })
  expect(spoken).toBe(3)
  expect(sink.blocks).toHaveLength(4)
  expect(sink.lastEventId).toBe('e1-2')
})

test('a sparse filter never resumes from long ago, so it is told no false gap (R-16)', () => {
  const bench = new Workbench({ retention: { maxFrames: 10 } })
  const session = bench.session('cc', 's1')
  const first = bench.open(session, { filter: 'kind:agent_query' })
  for (let i = 0; i < 50; i += 1) {
    publishMany(bench, 5)
    bench.clock.advance(15_000)
  }
  first.subscription.closed()
  publishMany(bench, 5)

  const second = bench.open(session, { filter: 'kind:agent_query', cursor: first.sink.lastEventId })

  expect(first.sink.lastEventId).toBe('e1-250')
  expect(second.sink.gaps).toEqual([])
})

test('a keep-alive while a replay is under way carries no id, so a cut loses nothing (R-15)', () => {
  const bench = new Workbench()
  publishMany(bench, 600)
  const { sink } = bench.open(bench.session('cc', 's1'), { cursor: 'e1-0' })

  bench.clock.advance(15_000)

  expect(sink.seqs.length).toBeLessThan(600)
  expect(sink.lastEventId).toBe(`e1-${sink.seqs.length}`)
  expect(sink.text.endsWith(': keep-alive\n\n')).toBe(true)
})

test('a keep-alive is not written behind a reader that takes nothing (R-28)', () => {
  const bench = new Workbench({ limits: { slowConsumerMs: 60_000 } })
  const { sink } = bench.open(bench.session('cc', 's1'))
  sink.stop()
  bench.publish()
  const { writes } = sink

  bench.clock.advance(59_000)

  expect(sink.writes).toBe(writes)
})

test('shutting down says goodbye to every reader, with a reconnect delay spread over some seconds (R-40)', () => {
  const bench = new Workbench()
  const readers = Array.from({ length: 20 }, (_, i) => bench.open(bench.session('cc', `s${i}`)))
  bench.submit(bench.frame())

  bench.broker.close()

  const delays = readers.map(({ sink }) => Number(sink.blocks.at(-1)?.retry))
  for (const { sink } of readers) {
    expect(sink.seqs).toEqual([1])
    expect(sink.byes).toEqual([{ reason: 'shutdown' }])
    expect(sink.hasEnded).toBe(true)
  }
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(1_000)
  expect(Math.max(...delays)).toBeLessThan(3_000)
  expect(new Set(delays).size).toBeGreaterThan(1)
  expect(bench.clock.pendingTimers).toBe(0)
})

test('a broker that has closed refuses what still comes, rather than taking it for nobody (R-40)', () => {
  const bench = new Workbench()
  bench.broker.close()

  expect(() => bench.submit(bench.frame())).toThrow(expect.objectContaining({ code: 'closing' }))
})

test('as many streams as the limit are open, and one more is refused before a byte of it (R-30)', () => {
  const bench = new Workbench({ limits: { subscriptions: 2 } })
  const session = bench.session('cc', 's1')
  const first = bench.open(session)
  bench.broker.streams.requireRoom()
  bench.open(session)

  expect(() => bench.broker.streams.requireRoom()).toThrow(
    expect.objectContaining({ code: 'busy', retryAfterMs: expect.any(Number) }),
  )
  first.subscription.closed()
  expect(() => bench.broker.streams.requireRoom()).not.toThrow()
})

test("a session with several streams gets a frame on each of them, by each one's own filter (ACQ-38, ACQ-24)", () => {
  const bench = new Workbench()
  const session = bench.session('cc', 's1')
  const all = bench.open(session)
  const queries = bench.open(session, { filter: 'kind:agent_query' })
  const advisories = bench.open(session, { filter: 'kind:agent_advisory' })

  const reply = bench.publish()

  expect(reply.recipient_count).toBe(2)
  expect(all.sink.seqs).toEqual([1])
  expect(queries.sink.seqs).toEqual([])
  expect(advisories.sink.seqs).toEqual([1])
})

test('closing a stream twice, or after a bye, changes nothing (docs/architecture.md rule 12)', () => {
  const bench = new Workbench()
  const session = bench.session('cc', 's1')
  const one = bench.open(session)
  const other = bench.open(session)

  one.subscription.closed()
  one.subscription.closed()
  one.subscription.bye('shutdown')
  one.subscription.drained()

  expect(one.sink.hasEnded).toBe(false)
  expect(bench.broker.streams.count).toBe(1)
  expect(other.subscription.isOpen).toBe(true)
})
