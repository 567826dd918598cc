import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { MIN_UNSWEPT, PackedFrames } from '../../../../src/broker/ring/memory/packed-frames.ts'
import type { Retained } from '../../../../src/broker/ring/retained.ts'
import { NOON_MS, retained, retainedEnvelope } from '../../../support/rings.ts'

const ALICE = '~alice/cc@s2'
const SEEN = { state: 'seen', atMs: NOON_MS } as const

/** All that can be read of one, receipts as they are told. */
function readOf(item: Retained | undefined) {
  if (item === undefined) return undefined
  const { type, seq, key, kind, senderHandle, tool, scope, scopeText, envelope, text } = item
  const { senderAddress, acceptedAtMs, expiresAtMs, origin, delivery } = item
  const names = { key, kind, senderHandle, tool, scope, scopeText, senderAddress }
  const counts = [delivery.recipientCount, delivery.queuedCount, delivery.peopleCount, delivery.terminalCount]
  const receipts = { lines: delivery.receipts(), remote: delivery.remoteReceipts(), named: delivery.named }
  return {
    type,
    seq,
    envelope,
    text,
    acceptedAtMs,
    expiresAtMs,
    origin,
    ...names,
    counts,
    ...receipts,
  }
}

function placed<Item extends Retained>(item: Item, seq: number): Item {
  item.seq = seq
  return item
}

/** Puts in turns of plain frames. @returns what was put in, by place */
function fill(
  frames: PackedFrames,
  turns: number,
  size: number,
  emittedTo: readonly string[] = [],
): Retained[] {
  const all: Retained[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    const batch = Array.from({ length: size }, (_, i) => placed(retained({ emittedTo }), turn * size + i + 1))
    all.push(...batch)
    frames.append(batch)
  }
  return all
}

const item = fc.record({
  isEnvelope: fc.boolean(),
  senderHandle: fc.constantFrom('~alice', '~bob'),
  isFromElsewhere: fc.boolean(),
  text: fc.constantFrom(undefined, '{"note":"\ud800 half"}', '{"note":"☕"}', 'x'.repeat(70_000)),
  isSeen: fc.boolean(),
})

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ what: fc.constant('append' as const), turn: fc.array(item, { maxLength: 40 }) }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('remove' as const), back: fc.nat(60) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('drop' as const), count: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('see' as const), back: fc.nat(60) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('clear' as const) }) },
)

test('what is packed reads as what was put in, whatever is taken out, given up or seen meanwhile (R-12)', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const frames = new PackedFrames()
      const model = new Map<number, Retained>()
      let [first, end] = [1, 1]
      for (const one of steps) {
        if (one.what === 'append') {
          const turn = one.turn.map((wish, i) => placed(toRetained(wish), end + i))
          if (turn.length > 0) frames.append(turn)
          for (const put of turn) model.set(put.seq, put)
          end += turn.length
        } else if (one.what === 'remove') {
          frames.remove(end - one.back)
          model.delete(end - one.back)
        } else if (one.what === 'drop') {
          for (let i = 0; i < one.count; i += 1) frames.dropFirst()
          const before = first
          first = Math.min(end, first + one.count)
          for (let seq = before; seq < first; seq += 1) model.delete(seq)
        } else if (one.what === 'see') {
          frames.get(end - one.back)?.delivery.showTo(ALICE, SEEN)
          model.get(end - one.back)?.delivery.showTo(ALICE, SEEN)
        } else {
          frames.clear()
          model.clear()
          first = end
        }
        expect([frames.firstSeq, frames.endSeq]).toEqual([first, end])
      }
      for (let seq = first - 1; seq <= end; seq += 1) {
        expect(readOf(frames.get(seq))).toEqual(readOf(model.get(seq)))
        expect(frames.has(seq)).toBe(model.has(seq))
      }
      for (const put of model.values()) expect(frames.find(put.key)).toBe(put.seq)
      const upwards = [...model.keys()].toSorted((a, b) => a - b)
      expect(frames.from(0, 1, Infinity).map(({ seq }) => seq)).toEqual(upwards)
      expect(frames.from(end + 9, -1, 5).map(({ seq }) => seq)).toEqual(upwards.toReversed().slice(0, 5))
    }),
    { numRuns: 200 },
  )
})

function toRetained({
  isEnvelope,
  senderHandle,
  isFromElsewhere,
  text,
  isSeen,
}: typeof item extends fc.Arbitrary<infer T> ? T : never): Retained {
  const words = text === undefined ? {} : { text }
  const plain = isEnvelope ? retainedEnvelope(words) : retained({ senderHandle, ...words })
  const made: Retained = isFromElsewhere
    ? { ...plain, origin: { realm: 'p.alice', node: 'desk', eventId: 'abcdef12-1' } }
    : plain
  if (isSeen) made.delivery.showTo(ALICE, SEEN)
  return made
}

test('whoever waits on a frame is told, however often it is looked at and whatever comes behind it (PD-01)', () => {
  const frames = new PackedFrames()
  const [first] = fill(frames, 3, 1, [ALICE])
  let told = 0
  frames.get(1)?.delivery.onChange(() => (told += 1))

  // A look at enough others to have those forgotten that nothing happened to.
  for (let seq = 4; seq <= 3 * MIN_UNSWEPT; seq += 1)
    frames.append([placed(retained({ emittedTo: [ALICE] }), seq)])
  for (let seq = 2; seq <= 3 * MIN_UNSWEPT; seq += 1) expect(frames.get(seq)?.delivery.recipientCount).toBe(1)
  frames.get(1)?.delivery.conclude(ALICE, SEEN)

  expect(told).toBe(1)
  expect(frames.get(1)?.delivery.receipts()).toEqual([{ address: ALICE, ...SEEN }])
  expect(first?.delivery.isUntouched).toBe(true)
})

test('whoever waits on a frame of the last turn waits on what stays (PD-01)', () => {
  const frames = new PackedFrames()
  const [own] = fill(frames, 1, 1, [ALICE])
  let told = 0
  own?.delivery.onChange(() => (told += 1))
  frames.append([placed(retained(), 2)])
  frames.append([placed(retained(), 3)])

  frames.get(1)?.delivery.conclude(ALICE, SEEN)

  expect([told, frames.get(1)]).toEqual([1, own])
})

test('what was seen stays seen, however many others are looked at (R-18)', () => {
  const frames = new PackedFrames()
  const count = 3 * MIN_UNSWEPT
  fill(frames, 1, count, [ALICE])
  frames.append([placed(retained(), count + 1)])
  for (let seq = 1; seq <= count; seq += 2) frames.get(seq)?.delivery.conclude(ALICE, SEEN)
  for (let seq = 1; seq <= count; seq += 1) frames.get(seq)?.delivery.receipts()

  const states = Array.from({ length: count }, (_, i) => frames.get(i + 1)?.delivery.receipts()[0]?.state)

  expect(states.filter((state) => state === 'seen').length).toBe(count / 2)
})

test('a plain frame is not kept as it was: another look has another object, with the same in it', () => {
  const frames = new PackedFrames()
  const [own] = fill(frames, 2, 1)

  expect(frames.get(1)).not.toBe(own)
  expect([...frames.kept()].map(({ seq }) => seq)).toEqual([2])
})
