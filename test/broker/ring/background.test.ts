/**
 * Long work beside short: replays, searches and history in steps (`broker/ring/background.ts`).
 *
 * @see
 */
import { expect, test } from 'vitest'
import { Background, OWN_WORK } from '../../../src/broker/ring/background.ts'
import { EVERYTHING } from '../../../src/protocol/frame/filter.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { ArraySink, Workbench } from '../workbench.ts'

/** About as large as a frame gets. */
const LARGE = {
  payload: {
    previous_session_id: 's0',
    handover_body: 'x'.repeat(8_000),
    pointer_refs: Array.from({ length: 40 }, () => 'y'.repeat(1_000)),
  },
}

test('work that is over its share of a turn goes on in the next, in the order it came (R-36)', () => {
  const clock = new FakeClock()
  const turns: (() => void)[] = []
  const background = new Background(clock, (step) => void turns.push(step))
  const done: string[] = []
  for (const name of ['a', 'b', 'c']) {
    background.later(() => {
      done.push(name)
      clock.advance(4)
    }, background)
  }

  const after = () => {
    turns.shift()?.()
    return done.join('')
  }

  expect([after(), after(), turns.length]).toEqual(['ab', 'abc', 0])
})

test('what is still being looked for when the daemon goes is answered with closing (R-40)', async () => {
  const turns: (() => void)[] = []
  const background = new Background(new FakeClock(), (step) => void turns.push(step))

  const found = background.until(() => undefined, OWN_WORK)
  turns.shift()?.()
  background.stop()
  turns.shift()?.()

  await expect(found).rejects.toMatchObject({ code: 'closing' })
})

test('a reader that has stopped holds a page of a long replay, not the replay (R-28)', () => {
  const bench = new Workbench({ limits: { subscriptionBytes: 64 * 1024 * 1024 } })
  for (let i = 0; i < 100; i += 1) bench.publish({ kind: 'agent_handover', frame: LARGE })
  const sink = new ArraySink()
  sink.stop()

  bench.open(bench.session('cc', 's1'), { cursor: 'e1-0', sink })
  bench.turn()

  expect(sink.backlogBytes).toBeGreaterThan(0)
  expect(sink.backlogBytes).toBeLessThan(512 * 1024)
})

test('frames that come while replay=n is being looked for come once, behind it and in order (R-12, R-15)', () => {
  const bench = new Workbench()
  const session = bench.session('cc', 's1')
  const wanted = bench.publish({ kind: 'agent_query' }).frame_id
  // No index knows whom a scope names, so each of these is read (HD-12).
  for (let i = 0; i < 300; i += 1) bench.publish({ scope: '~alice/cc@other' })

  const { sink, subscription } = bench.open(session, { replay: 1 })
  const foundAtOnce = sink.frameIds.length
  bench.submit(bench.frame({ kind: 'agent_query' }))
  bench.step()
  subscription.drained()
  bench.turn()

  expect(foundAtOnce).toBe(0)
  expect(sink.frameIds[0]).toBe(wanted)
  expect(sink.seqs).toEqual([1, 302])
  expect(sink.gaps).toEqual([])
})

test('a page of history ends at its bytes as at its limit, and says where to go on (docs/http.md §5, R-36)', async () => {
  const bench = new Workbench()
  for (let i = 0; i < 200; i += 1) bench.publish({ kind: 'agent_handover', frame: LARGE })
  const read = async (afterSeq: number | undefined) => {
    const search = { filter: EVERYTHING, handle: undefined, withEnvelopes: true }
    const request = { afterSeq, limit: 1_000, search, admits: () => true, asker: OWN_WORK }
    const page = bench.broker.readHistory(request)
    bench.turn()
    return await page
  }

  const newest = await read(undefined)
  const seqs: number[] = []
  for (let after: number | undefined = 0; after !== undefined;) {
    const { frames, nextSeq } = await read(after)
    seqs.push(...frames.map(({ seq }) => seq))
    after = nextSeq
  }

  expect(newest.frames.length).toBeLessThan(100)
  expect(newest.frames.at(-1)?.seq).toBe(200)
  expect(seqs).toEqual(Array.from({ length: 200 }, (_, i) => i + 1))
})

test('a turn is shared out by connections: one that asks for much is one of many (HD-11)', () => {
  const turns: (() => void)[] = []
  const clock = new FakeClock()
  const background = new Background(clock, (step) => void turns.push(step))
  const done: string[] = []
  const [greedy, modest] = [{}, {}]
  for (const [name, connection] of [
    ['a1', greedy],
    ['a2', greedy],
    ['a3', greedy],
    ['b1', modest],
    ['b2', modest],
  ] as const)
    background.later(() => void done.push(name), connection)

  turns.shift()?.()

  expect(done).toEqual(['a1', 'b1', 'a2', 'b2', 'a3'])
})

test('work ends with who asked for it: not one step more is taken (HD-11)', async () => {
  const turns: (() => void)[] = []
  const background = new Background(new FakeClock(), (step) => void turns.push(step))
  const asker = { ...OWN_WORK, isGone: false }
  let steps = 0

  const found = background.until(() => {
    steps += 1
    return undefined
  }, asker)
  turns.shift()?.()
  asker.isGone = true
  turns.shift()?.()

  await expect(found).rejects.toMatchObject({ code: 'closing' })
  expect([steps, turns.length]).toEqual([1, 0])
})
