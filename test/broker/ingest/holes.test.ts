/**
 * What a lane misses for good is told to every reader, before anything later of that lane.
 *
 * @see FED-28, R-16
 */
import { describe, expect, test } from 'vitest'
import { DrainRequest } from '../../../src/protocol/http/requests.ts'
import { arrivingFrame, batchOf, ingest, laneOf } from '../../support/arrivals.ts'
import { ArraySink, Workbench } from '../workbench.ts'

const DRAIN = DrainRequest.parse({})
const HOLE = { from: 'far1-2', to: 'far1-8' }

/** Frames and gaps in the order they came. */
function told(sink: ArraySink): readonly string[] {
  return sink.events.map(({ id, data, event }) =>
    event === 'agentd_gap' ? `gap ${JSON.parse(data ?? '').to ?? ''}` : (id ?? ''),
  )
}

describe('A stream', () => {
  test('that has everything is told of a hole once, before the frames behind it, with node and range (FED-28)', async () => {
    const bench = new Workbench()
    const { sink } = bench.open(bench.session('cc', 's1'))
    bench.publish()

    await ingest(bench, batchOf([arrivingFrame('far1-9')], { hole: HOLE }))
    await ingest(bench, batchOf([arrivingFrame('far1-10')], { seq: 2 }))

    expect(told(sink)).toEqual(['e1-1', 'gap far1-8', 'e1-2', 'e1-3'])
    expect(sink.gaps).toEqual([
      { reason: 'remote', requested: 'e1-1', oldest: 'e1-1', missed: null, node: 'devbox', ...HOLE },
    ])
    expect(bench.broker.counters).toMatchObject({ gapsTold: 1, remoteHoles: 1 })
  })

  test('is told of a hole that nothing came behind yet', async () => {
    const bench = new Workbench()
    const { sink } = bench.open(bench.session('cc', 's1'))

    await ingest(bench, batchOf([], { hole: HOLE }))

    expect(sink.gaps).toHaveLength(1)
  })

  test('that is behind is told when it comes to the place (FED-28)', async () => {
    const bench = new Workbench()
    const { sink, subscription } = bench.open(bench.session('cc', 's1'))
    sink.stop()
    for (let i = 0; i < 50; i += 1)
      bench.publish({ frame: { payload: { advisory_text: 'x'.repeat(2_000) } } })
    await ingest(bench, batchOf([arrivingFrame('far1-9')], { hole: HOLE }))
    sink.goOn()
    subscription.drained()
    bench.turn()

    const order = told(sink)
    expect(order.indexOf('gap far1-8')).toBe(order.indexOf('e1-51') - 1)
    expect(sink.seqs).toEqual(Array.from({ length: 51 }, (_, i) => i + 1))
    expect(sink.gaps).toHaveLength(1)
  })

  test('that is opened later and replays across a hole is told of it at its place (FED-28)', async () => {
    const bench = new Workbench()
    for (let i = 0; i < 3; i += 1) bench.publish()
    await ingest(bench, batchOf([arrivingFrame('far1-9')], { hole: HOLE }))
    bench.publish()
    const session = bench.session('cc', 's1')

    const [resumed, replayed, all] = [{ cursor: 'e1-2' }, { replay: 4 }, { cursor: 'e1-0' }].map(
      (start) => bench.open(session, start).sink,
    )
    bench.turn()

    expect([resumed, replayed, all].map((sink) => sink && told(sink))).toEqual([
      ['e1-3', 'gap far1-8', 'e1-4', 'e1-5'],
      ['e1-2', 'e1-3', 'gap far1-8', 'e1-4', 'e1-5'],
      ['e1-1', 'e1-2', 'e1-3', 'gap far1-8', 'e1-4', 'e1-5'],
    ])
  })

  test('with a filter is told at the place too, whatever it is shown', async () => {
    const bench = new Workbench()
    for (let i = 0; i < 3; i += 1) bench.publish({ kind: 'agent_broadcast' })
    await ingest(bench, batchOf([arrivingFrame('far1-9', { kind: 'agent_broadcast' })], { hole: HOLE }))
    bench.publish()

    const { sink } = bench.open(bench.session('cc', 's1'), { cursor: 'e1-0', filter: 'kind:agent_advisory' })
    bench.turn()

    expect(told(sink)).toEqual(['gap far1-8', 'e1-5'])
  })

  test('that begins behind a hole, or with what comes, is told of none', async () => {
    const bench = new Workbench()
    bench.publish()
    await ingest(bench, batchOf([arrivingFrame('far1-9')], { hole: HOLE }))
    const session = bench.session('cc', 's1')

    const sinks = [{ cursor: 'e1-2' }, {}].map((start) => bench.open(session, start).sink)
    bench.turn()

    expect(sinks.map(({ gaps }) => gaps)).toEqual([[], []])
  })

  test('that watches all that passes is told as well, now or when it comes to the place', async () => {
    const bench = new Workbench()
    const watch = (cursor?: string): ArraySink => {
      const sink = new ArraySink()
      bench.broker.watchers.open({ address: undefined, snapshot: '', cursor }, sink)
      return sink
    }
    const live = watch()
    bench.publish()
    await ingest(bench, batchOf([], { hole: HOLE }))

    const resumed = watch('e1-0')
    bench.turn()

    expect([live, resumed].map(({ gaps }) => gaps.length)).toEqual([1, 1])
  })
})

describe('A mailbox', () => {
  test('tells of a hole with what waits behind it, once, and a peek takes nothing away (FED-28)', async () => {
    const bench = new Workbench()
    const session = bench.session('cc', 's1', { mailbox: true })
    bench.publish()
    await ingest(bench, batchOf([arrivingFrame('far1-9')], { hole: HOLE }))
    const gap = { reason: 'remote', requested: 'e1-1', oldest: 'e1-1', missed: null, node: 'devbox', ...HOLE }

    const peeked = bench.broker.drain(session, { ...DRAIN, peek: true })
    const drained = bench.broker.drain(session, DRAIN)
    const again = bench.broker.drain(session, DRAIN)

    expect([peeked.gap, drained.gap, again.gap]).toEqual([gap, gap, null])
    expect([peeked.holes, drained.holes, again.holes]).toEqual([[gap], [gap], []])
    expect(drained.taken.map(({ seq }) => seq)).toEqual([1, 2])
  })

  test('tells of several holes of a lane as one, and of each lane', async () => {
    const bench = new Workbench()
    const session = bench.session('cc', 's1', { mailbox: true })
    await ingest(bench, batchOf([], { hole: HOLE }))
    await ingest(bench, batchOf([], { hole: { from: 'far1-20', to: 'far1-30' } }))
    await ingest(bench, batchOf([], { node: 'ci', lane: laneOf('ci'), hole: { from: null, to: 'ci-4' } }))

    const { holes } = bench.broker.drain(session, DRAIN)

    expect(holes.map(({ node, from, to }) => [node, from, to])).toEqual([
      ['devbox', 'far1-2', 'far1-30'],
      ['ci', null, 'ci-4'],
    ])
  })

  test('that was made later, or stood behind a stream that was told, tells of none', async () => {
    const bench = new Workbench()
    const behind = bench.session('cc', 's1', { mailbox: true })
    const { sink } = bench.open(behind)
    await ingest(bench, batchOf([], { hole: HOLE }))
    const later = bench.session('cc', 's2', { mailbox: true })

    expect(sink.gaps).toHaveLength(1)
    expect([behind, later].map((session) => bench.broker.drain(session, DRAIN).gap)).toEqual([null, null])
  })

  test('of a predecessor hands on what it has not told', async () => {
    const bench = new Workbench()
    bench.session('cc', 's1', { mailbox: true })
    await ingest(bench, batchOf([], { hole: HOLE }))

    const heir = bench.session('cc', 's2', { mailbox: true, successor_of: 'cc@s1' })

    expect(bench.broker.drain(heir, DRAIN).gap).toMatchObject({ reason: 'remote', to: 'far1-8' })
  })
})
