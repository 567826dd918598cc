import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isVersionAtLeast } from '../../../src/core/versions.ts'
import { driverFailure } from '../../../src/store/driver/driver.ts'
import { SqliteRing } from '../../../src/store/ring/sqlite-ring.ts'
import { alterDatabase, offsetOf } from '../../support/damage.ts'
import {
  forgetAll,
  openRing,
  requireDriver,
  retained,
  retainedFrames,
  ROOMY,
  storePlace,
  watchDriver,
} from '../../support/rings.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { silentLog } from '../../support/silent-log.ts'

test.each([
  ['process', 1, 'normal'],
  ['disk', 2, 'full'],
] as const)(
  'under %s the pragmas read back are those that were promised (R-19, R-26)',
  async (ack, code, word) => {
    await using dir = await createTempDir()
    const watched = watchDriver(await requireDriver())
    const ring = new SqliteRing({
      driver: watched.driver,
      place: storePlace(dir, { ack }),
      retention: ROOMY,
      log: silentLog,
    })
    ring.append([retained()])

    const [database] = watched.connections
    const read = (name: string): unknown => database?.pragma(name, { simple: true })

    expect(watched.connections).toHaveLength(1)
    expect(read('synchronous')).toBe(code)
    expect(read('fullfsync')).toBe(ack === 'disk' ? 1 : 0)
    expect(read('journal_mode')).toBe('wal')
    expect(read('locking_mode')).toBe('exclusive')
    expect(read('journal_size_limit')).toBe(16 * 1024 * 1024)
    expect(ring.health()).toMatchObject({ enabled: true, synchronous: word, details: [] })
    expect(ring.ack).toBe(ack)

    ring.close()
  },
)

test('the SQLite that is bundled is at the floor, and the floor is compared by number (R-26)', async () => {
  await using dir = await createTempDir()
  const ring = await openRing(dir)

  expect(isVersionAtLeast(ring.health().sqliteVersion ?? '0', '3.51.3')).toBe(true)

  ring.close()
})

test.each([0o000, 0o022, 0o077])(
  'every file is 0600 from its first moment under umask %o (R-01)',
  async (umask) => {
    await using dir = await createTempDir()
    const before = process.umask(umask)
    try {
      const ring = await openRing(dir)
      ring.append(retainedFrames(3))

      const modes = readdirSync(dir.path).map((name) => [
        name,
        (lstatSync(dir.file(name)).mode & 0o777).toString(8),
      ])

      expect(Object.fromEntries(modes)).toEqual({
        'ring.db': '600',
        'ring.db-wal': '600',
        'ring.mark': '600',
      })
      ring.close()
    } finally {
      process.umask(before)
    }
  },
)

test('what is no store of ours is set aside with its bytes, and a fresh epoch begins (R-23)', async () => {
  await using dir = await createTempDir()
  writeFileSync(dir.file('ring.db'), 'somebody else wrote this\n'.repeat(400))

  const ring = await openRing(dir)

  const aside = readdirSync(dir.path).filter((name) => name.startsWith('ring.corrupt-'))
  expect(aside).toEqual(['ring.corrupt-2026-11-20T12-00-00-000Z'])
  expect(readFileSync(dir.file(aside[0]!), 'utf8')).toBe('somebody else wrote this\n'.repeat(400))
  expect(ring.health().details).toEqual([expect.stringContaining(dir.file('ring.corrupt-'))])
  expect(ring.fateOf('0123abcd')).toBe('corrupt')
  ring.append([retained()])
  expect(ring.count).toBe(1)

  ring.close()
})

test.each([
  'PRAGMA user_version = 99',
  'DROP TABLE mailboxes',
  'DELETE FROM meta',
  "UPDATE meta SET epoch = 'no'",
])('a store of another version or shape is set aside or begun anew, never guessed at: %s', async (change) => {
  await using dir = await createTempDir()
  const first = await openRing(dir)
  first.append(retainedFrames(3))
  first.close()
  await alterDatabase(dir.file('ring.db'), change)

  const ring = await openRing(dir)

  expect(ring.epoch).not.toBe(first.epoch)
  ring.append([retained()])
  expect(ring.read(ring.lastSeq - 1, 10)).toHaveLength(1)
  ring.close()
})

test('two quarantines in one millisecond keep both files', async () => {
  await using dir = await createTempDir()
  for (const text of ['first', 'second']) {
    writeFileSync(dir.file('ring.db'), text.repeat(1_000))
    const ring = await openRing(dir)
    ring.close()
  }

  const aside = readdirSync(dir.path).filter((name) => name.startsWith('ring.corrupt-'))
  expect(aside).toHaveLength(2)
})

test('a store that another process holds is said to be held, and left alone (R-26)', async () => {
  await using dir = await createTempDir()
  const holder = await openRing(dir)
  holder.append(retainedFrames(2))

  const failure = await openRing(dir).then(
    () => undefined,
    (error: unknown) => driverFailure(error),
  )

  expect(failure).toBe('held')
  expect(readdirSync(dir.path).filter((name) => name.includes('corrupt'))).toEqual([])
  holder.append(retainedFrames(1))
  holder.close()
  const next = await openRing(dir)
  expect(next.count).toBe(3)
  next.close()
})

test('a directory in the place of the file is refused by name, and nothing is moved (R-02, R-25)', async () => {
  await using dir = await createTempDir()
  mkdirSync(dir.file('ring.db'))

  await expect(openRing(dir)).rejects.toThrow(/no regular file/)
  expect(lstatSync(dir.file('ring.db')).isDirectory()).toBe(true)
})

test('what was forgotten cannot be found in the files any more (AC-192)', async () => {
  await using dir = await createTempDir()
  const ring = await openRing(dir)
  const secret = 'the-launch-code-is-0000'
  ring.append([retained(), retained({ senderHandle: '~bob', text: JSON.stringify(secret) }), retained()])
  ring.append(retainedFrames(200))

  expect(forgetAll(ring, { senderHandle: '~bob' })).toBe(1)

  ring.close()
  for (const name of readdirSync(dir.path))
    expect([name, offsetOf(dir.file(name), secret)]).toEqual([name, -1])
  expect(existsSync(dir.file('ring.db'))).toBe(true)
})

test('the write-ahead log stays within its bound under a replay that never ends (R-24)', async () => {
  await using dir = await createTempDir()
  const ring = await openRing(dir, { retention: { ...ROOMY, maxFrames: 2_000 } })
  let largest = 0

  for (let turn = 0; turn < 150; turn += 1) {
    ring.append(retainedFrames(64, { text: JSON.stringify('x'.repeat(2_000)) }))
    ring.read(ring.firstSeq - 1, 100)
    largest = Math.max(largest, lstatSync(dir.file('ring.db-wal')).size)
  }

  expect(largest).toBeLessThan(64 * 1024 * 1024)
  expect(lstatSync(dir.file('ring.db')).size).toBeLessThan(2 * ring.bytes)
  ring.close()
})

test('whom frames reached is forgotten with the frames, however often that changes (R-24)', async () => {
  await using dir = await createTempDir()
  const ring = await openRing(dir, { retention: { ...ROOMY, maxFrames: 100 } })

  for (let turn = 0; turn < 4_000; turn += 1) {
    ring.append([retained({ text: '"x"', emittedTo: [`~alice/cc@${turn}`] })])
  }
  ring.append([retained({ emittedTo: ['~alice/cc@same'] })])

  expect(ring.get(ring.lastSeq - 1)?.delivery.emittedTo).toEqual(['~alice/cc@3999'])
  ring.close()
  const driver = await requireDriver()
  const database = new driver(dir.file('ring.db'), { readonly: true })
  expect(Number(database.prepare('SELECT count(*) FROM audiences').pluck().get())).toBeLessThan(1_300)
  database.close()
})
