/**
 * Ids of frames and envelopes over the tail, the disk and a restart.
 */
import { expect, test } from 'vitest'
import type { Retained } from '../../../src/broker/ring/retained.ts'
import type { SqliteRing } from '../../../src/store/ring/sqlite-ring.ts'
import { ROOMY, openRing, retained, retainedEnvelope, retainedFrames } from '../../support/rings.ts'
import { createTempDir } from '../../support/temp-dir.ts'

/** More than the tail holds. */
const MANY = 4_200

function expectFound(ring: SqliteRing, items: readonly Retained[]): void {
  expect(items.map(({ key }) => ring.find(key)?.seq)).toEqual(items.map(({ seq }) => seq))
}

test('what came between two questions and has left memory since is found', async () => {
  await using dir = await createTempDir()
  const ring = await openRing(dir)
  const first = [retained(), retainedEnvelope()]
  ring.append(first)
  expectFound(ring, first)

  const between = [retained(), retainedEnvelope()]
  ring.append([...between, ...retainedFrames(MANY)])
  const last = [retainedEnvelope(), retained()]
  ring.append(last)

  expectFound(ring, [...between, ...first, ...last])
  expect([ring.find('aee:none'), ring.find('none')]).toEqual([undefined, undefined])
  ring.close()
})

test('what an earlier daemon accepted is found, and what is new beside it', async () => {
  await using dir = await createTempDir()
  const first = await openRing(dir)
  const old = [retainedEnvelope(), retained(), retainedEnvelope({ id: 'same-id' })]
  first.append(old)
  first.close()

  const ring = await openRing(dir)
  const fresh = [retainedEnvelope({ id: 'same-id' }), retained()]
  ring.append(fresh)

  expectFound(ring, fresh)
  expectFound(ring, old.slice(0, 2))
  expect(ring.find('aee:same-id')?.seq).toBe(4)
  ring.close()
})

test('the ids of an earlier daemon are learned in steps, and each frame is then found at once', async () => {
  await using dir = await createTempDir()
  const first = await openRing(dir)
  const old = retainedFrames(MANY)
  first.append(old)
  first.close()

  const ring = await openRing(dir)
  const [oldest, newest] = [old[0], old.at(-1)]
  expect([ring.findKnown(oldest!.key), ring.findKnown(newest!.key)]).toEqual([undefined, undefined])
  let steps = 0
  while (!ring.learnIds()) {
    steps += 1
    if (steps === 1)
      expect([ring.findKnown(oldest!.key)?.seq, ring.findKnown(newest!.key)]).toEqual([1, undefined])
  }

  expect(steps).toBeGreaterThan(3)
  expect(old.map(({ key }) => ring.findKnown(key)?.seq)).toEqual(old.map(({ seq }) => seq))
  ring.close()
})

test('what is trimmed between two questions is not found, however often one asks', async () => {
  await using dir = await createTempDir()
  const ring = await openRing(dir, { retention: { ...ROOMY, maxFrames: 64 } })
  const seen: Retained[] = []
  for (let i = 0; i < 300; i += 1) {
    const item = i % 3 === 0 ? retainedEnvelope() : retained()
    ring.append([item])
    seen.push(item)
    expect(ring.find(item.key)?.seq).toBe(item.seq)
  }

  const found = seen.filter(({ key }) => ring.find(key) !== undefined)

  expect(found.map(({ seq }) => seq)).toEqual(ring.read(0, 100).map(({ seq }) => seq))
  ring.close()
})
