/**
 * A store that goes from under the ring that writes it (HD-13).
 */
import {
  closeSync,
  copyFileSync,
  openSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
} from 'node:fs'
import { expect, test } from 'vitest'
import { StoreWatch } from '../../../src/store/file/store-watch.ts'
import type { SqliteRing } from '../../../src/store/ring/sqlite-ring.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openRing, requireDriver, retainedFrames, watchDriver } from '../../support/rings.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { silentLog } from '../../support/silent-log.ts'

/** A ring in a directory of its own below `dir`, with a watch that the test drives. */
async function watchedRing(dir: TempDir, more: { refusal?: () => string | undefined } = {}) {
  const state = dir.file('state')
  mkdirSync(state, { mode: 0o700 })
  const path = dir.file('state', 'ring.db')
  const ring = await openRing(dir, { path })
  const prepareDirectory = (): string | undefined => {
    mkdirSync(state, { recursive: true, mode: 0o700 })
    return more.refusal?.()
  }
  const onCut = (damage: Error): void => void ring.recover(damage)
  const clock = new FakeClock()
  const watch = new StoreWatch({ file: ring.file, clock, log: silentLog, prepareDirectory, onCut })
  return { ring, watch, clock, state, path }
}

function keysOf(ring: SqliteRing): readonly string[] {
  return ring.read(0, 10_000).map(({ key }) => key)
}

/** A store of somebody else, closed, at a path. */
async function leaveOther(path: string): Promise<void> {
  await using other = await createTempDir()
  const ring = await openRing(other)
  ring.append(retainedFrames(7))
  ring.close()
  copyFileSync(other.file('ring.db'), path)
}

const GONE: readonly [string, (state: string) => Promise<void> | void][] = [
  ['its directory is moved', (state) => renameSync(state, `${state}.moved`)],
  ['its directory is deleted', (state) => rmSync(state, { recursive: true })],
  ['the database is deleted', (state) => rmSync(`${state}/ring.db`)],
  ['the log is deleted', (state) => rmSync(`${state}/ring.db-wal`)],
  [
    'another store takes its place',
    async (state) => {
      await leaveOther(`${state}/other`)
      renameSync(`${state}/other`, `${state}/ring.db`)
    },
  ],
]

test.each(GONE)(
  'when %s, answers stand for memory until the store is put back whole (HD-13)',
  async (_, lose) => {
    await using dir = await createTempDir()
    const { ring, watch, state, path } = await watchedRing(dir)
    ring.append(retainedFrames(300))
    await watch.look()
    expect([ring.ack, ring.health().details]).toEqual(['process', []])

    await lose(state)
    await watch.look()
    const told = { ack: ring.ack, ...ring.health() }
    ring.append(retainedFrames(20))
    await watch.look()
    ring.append(retainedFrames(5))

    expect(told).toMatchObject({ ack: 'memory', enabled: false })
    expect(told.details).toEqual([expect.stringMatching(/^Frames are kept in memory only: .*ring\.db /)])
    expect([ring.ack, ring.health().enabled]).toEqual(['process', true])
    const held = keysOf(ring)
    const { epoch } = ring
    await watch.look()
    expect([ring.ack, held.length]).toEqual(['process', 325])
    ring.close()
    const again = await openRing(dir, { path })
    expect([again.epoch, keysOf(again)]).toEqual([epoch, held])
    again.close()
  },
)

test('a store that stood at its place is set aside and kept as it was (HD-13)', async () => {
  await using dir = await createTempDir()
  const { ring, watch, state } = await watchedRing(dir)
  ring.append(retainedFrames(10))
  await leaveOther(dir.file('other'))
  const others = readFileSync(dir.file('other'))
  renameSync(dir.file('other'), `${state}/ring.db`)

  await watch.look()
  await watch.look()

  const [aside] = readdirSync(state).filter((name) => name.startsWith('ring.replaced-'))
  expect(readFileSync(`${state}/${aside}`).equals(others)).toBe(true)
  expect(ring.health().details).toEqual([expect.stringContaining(`is now ${state}/${aside}`)])
  ring.close()
})

test('a directory that is moved and moved back is gone on with as it is (HD-13)', async () => {
  await using dir = await createTempDir()
  const { driver, connections } = watchDriver(await requireDriver())
  mkdirSync(dir.file('state'))
  const ring = await openRing(dir, { path: dir.file('state', 'ring.db'), driver })
  const watch = new StoreWatch({
    file: ring.file,
    clock: new FakeClock(),
    log: silentLog,
    prepareDirectory: () => undefined,
    onCut: () => {},
  })
  ring.append(retainedFrames(10))

  renameSync(dir.file('state'), dir.file('away'))
  await watch.look()
  const meanwhile = ring.ack
  renameSync(dir.file('away'), dir.file('state'))
  await watch.look()

  expect([meanwhile, ring.ack, ring.health().details]).toEqual(['memory', 'process', []])
  expect(connections).toHaveLength(1)
  ring.close()
})

test('while it cannot be put back, health says why, and the next look tries again (HD-13)', async () => {
  await using dir = await createTempDir()
  let refusal: string | undefined = 'the directory is read-only'
  const { ring, watch, state } = await watchedRing(dir, { refusal: () => refusal })
  ring.append(retainedFrames(10))
  rmSync(state, { recursive: true })

  await watch.look()
  await watch.look()
  const refused = [ring.ack, ...ring.health().details]
  refusal = undefined
  await watch.look()

  expect(refused).toEqual([
    'memory',
    expect.stringContaining('cannot be put back: the directory is read-only'),
  ])
  expect([ring.ack, ring.health().details]).toEqual(['process', []])
  ring.close()
})

test.each([
  ['the database', 'ring.db', 0],
  ['the log', 'ring.db-wal', 0],
  ['the end of the log', 'ring.db-wal', 20_000],
] as const)(
  'when %s is cut, the store is set aside and begun anew, also when it was written on (HD-13)',
  async (_, name, length) => {
    await using dir = await createTempDir()
    const { ring, watch, state } = await watchedRing(dir)
    ring.append(retainedFrames(300))
    await watch.look()
    const { epoch } = ring

    truncateSync(`${state}/${name}`, length)
    ring.append(retainedFrames(1))
    await watch.look()
    ring.append(retainedFrames(3))

    expect(ring.epoch).not.toBe(epoch)
    expect([ring.count, ring.ack, ring.fateOf(epoch)]).toEqual([3, 'process', 'corrupt'])
    expect(ring.health().details).toEqual([expect.stringMatching(/damaged store was set aside/)])
    ring.close()
  },
)

test('it is looked at every second, and not after the end (HD-13)', async () => {
  await using dir = await createTempDir()
  const { ring, watch, clock, state } = await watchedRing(dir)
  ring.append(retainedFrames(1))
  watch.start()
  rmSync(state, { recursive: true })

  clock.advance(999)
  const early = ring.ack
  clock.advance(1)

  expect([early, ring.ack]).toEqual(['process', 'memory'])
  watch.stop()
  expect(clock.pendingTimers).toBe(0)
  ring.close()
})

test('looking leaves the store locked, and no descriptor behind (HD-13)', async () => {
  await using dir = await createTempDir()
  const { ring, watch, path } = await watchedRing(dir)
  ring.append(retainedFrames(1))
  const before = nextDescriptor(path)

  for (let looks = 0; looks < 50; looks += 1) await watch.look()

  expect(nextDescriptor(path)).toBe(before)
  await expect(openRing(dir, { path })).rejects.toMatchObject({ code: expect.stringMatching(/^SQLITE_BUSY/) })
  ring.close()
})

/** The number the next file would get: it grows with every descriptor that stays open. */
function nextDescriptor(path: string): number {
  const file = openSync(`${path}-wal`, 'r')
  closeSync(file)
  return file
}
