import { readdirSync, rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Retained } from '../../../src/broker/ring/retained.ts'
import { SqliteLedger } from '../../../src/store/ledger.ts'
import { copyStore, sizeOf, truncate } from '../../support/damage.ts'
import { refusalOf } from '../../support/refusals.ts'
import {
  forgetAll,
  openRing,
  requireDriver,
  retained,
  retainedEnvelope,
  retainedFrames,
} from '../../support/rings.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { silentLog } from '../../support/silent-log.ts'

function texts(frames: readonly Retained[]): readonly string[] {
  return frames.map(({ seq, text }) => `${seq} ${text}`)
}

test('a store that was closed goes on where it ended, on any boot (R-18)', async () => {
  await using dir = await createTempDir()
  const first = await openRing(dir)
  first.append(retainedFrames(5))
  const before = texts(first.read(0, 10))
  const totals = [first.count, first.bytes]
  first.close()

  const second = await openRing(dir, { bootId: 'boot-2' })

  expect(second.epoch).toBe(first.epoch)
  expect(texts(second.read(0, 10))).toEqual(before)
  expect([second.count, second.bytes]).toEqual(totals)
  expect([second.lastSeq, second.firstSeq]).toEqual([5, 1])
  second.append(retainedFrames(1))
  expect(second.lastSeq).toBe(6)
  second.close()
})

test('after a kill the same boot has the same epoch and every committed frame (R-06, R-18)', async () => {
  await using dir = await createTempDir()
  await using left = await createTempDir()
  const killed = await openRing(dir)
  killed.append(retainedFrames(3))
  killed.append(retainedFrames(4))
  copyStore(dir, left)

  const ring = await openRing(left)

  expect(ring.epoch).toBe(killed.epoch)
  expect(texts(ring.read(0, 10))).toEqual(texts(killed.read(0, 10)))
  expect([ring.count, ring.bytes]).toEqual([killed.count, killed.bytes])
  ring.close()
  killed.close()
})

test.each([
  ['another boot', 'boot-2'],
  ['a boot nobody can name', undefined],
])(
  'after an unclean end on %s a new epoch begins, and the old one was rolled back (R-20)',
  async (_what, bootId) => {
    await using dir = await createTempDir()
    await using left = await createTempDir()
    const killed = await openRing(dir)
    killed.append(retainedFrames(3))
    copyStore(dir, left)
    killed.close()

    const ring = await openRing(left, { bootId })

    expect(ring.epoch).not.toBe(killed.epoch)
    expect([ring.fateOf(killed.epoch), ring.fateOf('deadbeef')]).toEqual(['rollback', 'epoch'])
    expect(ring.count).toBe(3)
    const next = retained()
    ring.append([next])
    expect(next.seq).toBe(4)
    ring.close()
    // The fate outlives further starts.
    const later = await openRing(left, { bootId: 'boot-3' })
    expect([later.epoch, later.fateOf(killed.epoch)]).toEqual([ring.epoch, 'rollback'])
    later.close()
  },
)

test('under disk an unclean end on another boot keeps the epoch: nothing that was promised is gone (R-19)', async () => {
  await using dir = await createTempDir()
  await using left = await createTempDir()
  const killed = await openRing(dir, { ack: 'disk' })
  killed.append(retainedFrames(3))
  copyStore(dir, left)
  killed.close()

  const ring = await openRing(left, { ack: 'disk', bootId: 'boot-2' })

  expect([ring.epoch, ring.count]).toEqual([killed.epoch, 3])
  ring.close()
})

test('a disk store that went on under process is one whose tail can be gone (R-20)', async () => {
  await using dir = await createTempDir()
  await using left = await createTempDir()
  const safe = await openRing(dir, { ack: 'disk' })
  safe.append(retainedFrames(3))
  safe.close()
  const killed = await openRing(dir, { ack: 'process' })
  killed.append(retainedFrames(3))
  copyStore(dir, left)
  killed.close()

  const ring = await openRing(left, { ack: 'disk', bootId: 'boot-2' })

  expect(ring.epoch).not.toBe(killed.epoch)
  expect(ring.fateOf(killed.epoch)).toBe('rollback')
  ring.close()
})

test('the beginning of a run is flushed before its first frame: a power cut never leaves it looking closed (R-20)', async () => {
  await using dir = await createTempDir()
  await using left = await createTempDir()
  const closed = await openRing(dir)
  closed.append(retainedFrames(100))
  closed.close()
  const running = await openRing(dir, { bootId: 'boot-1' })
  // What is flushed when a run begins; frames under `process` are not, and a power cut takes them.
  copyStore(dir, left)
  running.append(retainedFrames(5))
  running.close()

  const driver = await requireDriver()
  const database = new driver(left.file('ring.db'))
  expect(database.prepare('SELECT is_clean FROM meta').pluck().get()).toBe(0)
  database.close()
  const ring = await openRing(left, { bootId: 'boot-2' })
  expect(ring.epoch).not.toBe(closed.epoch)
  ring.close()
})

test('a log that has lost its end gives out no number twice: the epoch changes, on the same boot too (R-20, R-23)', async () => {
  await using dir = await createTempDir()
  await using left = await createTempDir()
  const killed = await openRing(dir)
  for (let i = 0; i < 20; i += 1) killed.append(retainedFrames(1))
  copyStore(dir, left)
  killed.close()
  truncate(left.file('ring.db-wal'), Math.floor(sizeOf(left.file('ring.db-wal')) * 0.7))

  const ring = await openRing(left)

  expect(ring.lastSeq).toBeLessThan(20)
  expect(ring.epoch).not.toBe(killed.epoch)
  expect(ring.fateOf(killed.epoch)).toBe('rollback')
  ring.close()
})

test('without its mark a store is believed as before, and one that is gone begins a new epoch', async () => {
  await using dir = await createTempDir()
  const first = await openRing(dir)
  first.append(retainedFrames(3))
  first.close()
  rmSync(dir.file('ring.mark'))

  const second = await openRing(dir)
  expect([second.epoch, second.lastSeq]).toEqual([first.epoch, 3])
  second.close()
  rmSync(dir.file('ring.db'))
  const third = await openRing(dir)
  expect([third.lastSeq, third.fateOf(first.epoch)]).toEqual([0, 'epoch'])
  expect(third.epoch).not.toBe(first.epoch)
  third.close()
})

test('the number of a frame that was forgotten is not given out again, over a restart either (R-20)', async () => {
  await using dir = await createTempDir()
  const first = await openRing(dir)
  first.append(retainedFrames(5))
  forgetAll(first, {})
  first.close()

  const second = await openRing(dir)
  const next = retained()
  second.append([next])

  expect([second.epoch, next.seq, second.firstSeq]).toEqual([first.epoch, 6, 6])
  second.close()
})

test('the mark of a workflow is another when an envelope comes, and when one is forgotten from its middle (AEE-C12)', async () => {
  await using dir = await createTempDir()
  const ring = await openRing(dir)
  const [first, middle, last] = [retainedEnvelope(), retainedEnvelope(), retainedEnvelope()]
  const marks = [[first], [middle], [last]].map((batch) => {
    ring.append(batch)
    return ring.threadMark('corr-one')
  })

  expect(forgetAll(ring, { key: middle.key })).toBe(1)

  expect(new Set([...marks, ring.threadMark('corr-one')]).size).toBe(4)
  ring.close()
})

test('frames that left memory are read from the disk: across restarts, in pages, backwards and by id', async () => {
  await using dir = await createTempDir()
  const first = await openRing(dir)
  const frames = retainedFrames(600, { emittedTo: ['~alice/cc@a'], queuedTo: ['~alice/cc@b'] })
  first.append(frames.slice(0, 300))
  first.append(frames.slice(300))
  first.get(7)?.delivery.conclude('~alice/cc@a', { state: 'seen', atMs: 1 })
  first.close()

  const ring = await openRing(dir)

  const expected = frames.map(({ seq, text }) => `${seq} ${text}`)
  expect(texts([...ring.read(0, 256), ...ring.read(256, 256), ...ring.read(512, 256)])).toEqual(expected)
  expect(texts(ring.readBack(601, 600))).toEqual(expected.toReversed())
  expect(ring.find(frames[41]!.key)?.seq).toBe(42)
  expect(ring.find('00000000-0000-4000-8000-000000000000')).toBeUndefined()
  expect(ring.get(42)?.delivery.queuedTo).toEqual(['~alice/cc@b'])
  expect(forgetAll(ring, { key: frames[41]!.key })).toBe(1)
  expect([ring.find(frames[41]!.key), ring.get(42), ring.count]).toEqual([undefined, undefined, 599])
  ring.close()
})

test('what still comes after the end is told that the daemon is closing, and the store stays as it is (R-40)', async () => {
  await using dir = await createTempDir()
  const first = await openRing(dir)
  const frame = retained()
  first.append([frame])
  first.close()
  const files = readdirSync(dir.path)

  expect(refusalOf(() => first.append([retained()]))).toMatchObject({ code: 'closing' })
  expect(refusalOf(() => first.readBack(9, 9))).toMatchObject({ code: 'closing' })
  expect(refusalOf(() => forgetAll(first, {}))).toMatchObject({ code: 'closing' })
  expect(
    refusalOf(() =>
      new SqliteLedger(first, silentLog).sessionEnded({ address: '~alice/cc@a', name: 'cc' }, false),
    ),
  ).toMatchObject({
    code: 'closing',
  })
  first.close()

  expect(readdirSync(dir.path)).toEqual(files)
  const second = await openRing(dir)
  expect([second.epoch, second.get(1)?.text]).toEqual([first.epoch, frame.text])
  second.close()
})
