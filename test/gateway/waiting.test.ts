/**
 * What waits for the hub is counted place by place, each once, and is what a count from the beginning would say (FED-65).
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { MemoryRing } from '../../src/broker/ring/memory/memory-ring.ts'
import { MAX_WAITING, PAGE_ITEMS, Waiting } from '../../src/gateway/out/waiting.ts'
import { newEpoch } from '../../src/core/ids.ts'
import { forgetAll, NOON_MS, retained, retainedFrames, ROOMY } from '../support/rings.ts'

const LEAVES = 'agent_query'
const STAYS = 'agent_advisory'

/** A lane that all questions leave over. */
function startLane(maxFrames = ROOMY.maxFrames) {
  const ring = new MemoryRing(newEpoch(), { ...ROOMY, maxFrames })
  let [looked, leaving] = [0, LEAVES]
  const waiting = new Waiting({
    ring,
    leaves: ({ kind }) => {
      looked += 1
      return kind === leaving
    },
  })
  return {
    ring,
    waiting,
    /** Counts all there is. */
    countAfter: (seq: number) => {
      while (!waiting.count(seq, ring.lastSeq));
      return waiting.after(seq)
    },
    accept: (kind: string, count = 1, acceptedAtMs = NOON_MS) =>
      ring.append(retainedFrames(count, { kind, acceptedAtMs })),
    /** How many places have been looked at since it was asked last. */
    takeLooked: () => {
      const since = looked
      looked = 0
      return since
    },
    let: (kind: string) => {
      leaving = kind
      waiting.recount()
    },
  }
}

test('it tells how many wait and when the oldest was accepted, and of none that there is none (FED-65)', () => {
  const { accept, countAfter } = startLane()
  const none = countAfter(0)

  accept(STAYS)
  accept(LEAVES, 1, NOON_MS + 5)
  accept(LEAVES, 1, NOON_MS + 9)

  expect(none).toEqual({ waiting: 0, oldestMs: undefined })
  expect(countAfter(0)).toEqual({ waiting: 2, oldestMs: NOON_MS + 5 })
  expect(countAfter(2)).toEqual({ waiting: 1, oldestMs: NOON_MS + 9 })
  expect(countAfter(3)).toEqual({ waiting: 0, oldestMs: undefined })
})

test('what stays is looked at once, however often it is asked', () => {
  const { accept, countAfter, takeLooked } = startLane()
  accept(STAYS, 1_000)
  countAfter(0)

  const first = takeLooked()
  countAfter(0)
  accept(STAYS, 3)
  countAfter(0)

  expect(first).toBe(1_000)
  expect(takeLooked()).toBe(3)
})

test('it is counted a page at a time, and told as far as it was counted', () => {
  const { ring, waiting, accept, takeLooked } = startLane()
  accept(STAYS, PAGE_ITEMS)
  accept(LEAVES, 2)

  const isAll = waiting.count(0, ring.lastSeq)
  const first = waiting.after(0)
  const looked = takeLooked()

  expect([isAll, first.waiting, looked]).toEqual([false, 0, PAGE_ITEMS])
  expect(waiting.count(0, ring.lastSeq)).toBe(true)
  expect(waiting.after(0).waiting).toBe(2)
})

test('where more wait than are told of, as many are told, and the rest when those have left', () => {
  const { accept, countAfter } = startLane()
  accept(LEAVES, MAX_WAITING + PAGE_ITEMS + 10)

  expect(countAfter(0).waiting).toBe(MAX_WAITING)
  expect(countAfter(MAX_WAITING).waiting).toBe(PAGE_ITEMS + 10)
})

test('what may leave can be said anew, and a place that is not behind the last one is counted from there', () => {
  const lane = startLane()
  lane.accept(STAYS, 2)
  lane.accept(LEAVES, 3)
  const before = lane.countAfter(4)

  lane.let(STAYS)
  const after = lane.countAfter(1)

  expect([before.waiting, after.waiting, lane.countAfter(0).waiting]).toEqual([1, 1, 2])
})

type Step =
  | { readonly accept: string; readonly count: number }
  | { readonly acked: number }
  | { readonly forget: number }

const steps = fc.array(
  fc.oneof(
    fc.record({ accept: fc.constantFrom(LEAVES, STAYS), count: fc.integer({ min: 1, max: 40 }) }),
    fc.record({ acked: fc.nat(100) }),
    fc.record({ forget: fc.nat(100) }),
  ),
  { maxLength: 40 },
)

/** What a count from the beginning says. */
function countAll(ring: MemoryRing, afterSeq: number) {
  const left = ring.read(afterSeq, ring.count).filter(({ kind }) => kind === LEAVES)
  return { waiting: left.length, oldestMs: left[0]?.acceptedAtMs }
}

test('after whatever was accepted, acknowledged, forgotten and pushed out, it is what a count from the beginning says', () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const { ring, countAfter } = startLane(200)
      let acked = 0
      for (const [i, step] of taken.entries()) {
        acked = applyTo(ring, step, { acked, atMs: NOON_MS + i })
        expect(countAfter(acked)).toEqual(countAll(ring, acked))
      }
    }),
  )
})

/** @returns how far the hub has it then; a share is in percent of what there is */
function applyTo(ring: MemoryRing, step: Step, { acked, atMs }: { acked: number; atMs: number }): number {
  const placeAt = (from: number, percent: number): number =>
    from + Math.floor(((ring.lastSeq - from) * percent) / 100)
  if ('acked' in step) return placeAt(acked, step.acked)
  if ('forget' in step) {
    const found = ring.get(placeAt(ring.firstSeq, step.forget))
    if (found !== undefined) forgetAll(ring, { key: found.key, seq: found.seq })
    return acked
  }
  ring.append(Array.from({ length: step.count }, () => retained({ kind: step.accept, acceptedAtMs: atMs })))
  return acked
}
