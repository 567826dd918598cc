/**
 * What is remembered of the sessions of runtimes, in the store: there after a kill, left out where it is damaged, and no
 * reason for anything else to fail (OP-03).
 */
import { expect, test } from 'vitest'
import type { Logger } from '../../src/core/log.ts'
import { SqliteHookRecords } from '../../src/store/hook-records.ts'
import { alterDatabase, WITHOUT_ORIGINS, copyStore } from '../support/damage.ts'
import { openRing, requireDriver, retained, watchDriver } from '../support/rings.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { silentLog } from '../support/silent-log.ts'

async function openRecords(dir: TempDir, log: Logger = silentLog) {
  const ring = await openRing(dir)
  return { ring, records: new SqliteHookRecords(ring, log) }
}

test('what was saved last is there after a kill, and what was removed is not (OP-03)', async () => {
  await using dir = await createTempDir()
  await using left = await createTempDir()
  const { ring, records } = await openRecords(dir)
  records.save([['codex:s1', 'first']])
  records.save([['codex:s1', 'ünïcode ☕']])
  records.save([
    ['codex:s2', 'second'],
    ['codex:s3', 'third'],
  ])
  records.remove('codex:s2')
  records.remove('nobody')
  copyStore(dir, left)
  ring.close()

  const again = await openRecords(left)

  expect(again.records.all().toSorted()).toEqual(['third', 'ünïcode ☕'])
  expect(again.records.epoch).toBe(records.epoch)
  again.ring.close()
})

test.each([
  ['whose text is another', "UPDATE hooks SET state = 'other' WHERE key = 'codex:s1'"],
  ["that stands under another's key", "UPDATE hooks SET key = 'codex:s9' WHERE key = 'codex:s1'"],
  ['whose text is none', "UPDATE hooks SET state = x'00ff' WHERE key = 'codex:s1'"],
  ['whose digest is another', "UPDATE hooks SET digest = '' WHERE key = 'codex:s1'"],
])('a row %s is left out, and costs no other one anything', async (_, damage) => {
  await using dir = await createTempDir()
  const { ring, records } = await openRecords(dir)
  records.save([['codex:s1', 'first']])
  records.save([['codex:s2', 'second']])
  ring.append([retained()])
  ring.close()
  await alterDatabase(dir.file('ring.db'), damage)

  const again = await openRecords(dir)

  expect(again.records.all()).toEqual(['second'])
  expect([again.ring.epoch, again.ring.count]).toEqual([ring.epoch, 1])
  again.records.save([['codex:s1', 'anew']])
  expect(again.records.all().toSorted()).toEqual(['anew', 'second'])
  again.ring.close()
})

test('a disk that refuses a note costs the note: it is logged, and the one before it holds (R-21)', async () => {
  await using dir = await createTempDir()
  const { driver, connections } = watchDriver(await requireDriver())
  const ring = await openRing(dir, { driver })
  const logged: string[] = []
  const log: Logger = { ...silentLog, warn: (event) => void logged.push(event) }
  const records = new SqliteHookRecords(ring, log)
  records.save([['codex:s1', 'small']])
  connections.at(-1)?.pragma('max_page_count = 1')

  records.save([['codex:s1', 'x'.repeat(100_000)]])

  expect(logged).toEqual(['note-lost'])
  expect(records.all()).toEqual(['small'])
  connections.at(-1)?.pragma('max_page_count = 1000000')
  records.save([['codex:s1', 'x'.repeat(100_000)]])
  expect(records.all()).toEqual(['x'.repeat(100_000)])
  ring.close()
})

test('a store of version 3 takes them from now on, and keeps what it has', async () => {
  await using dir = await createTempDir()
  const before = await openRecords(dir)
  before.ring.append([retained()])
  before.ring.close()
  // What version 4 added.
  await alterDatabase(
    dir.file('ring.db'),
    `${WITHOUT_ORIGINS} DROP TABLE hooks; DROP TABLE departed; PRAGMA user_version = 3`,
  )

  const { ring, records } = await openRecords(dir)

  expect([ring.epoch, ring.count, records.all()]).toEqual([before.ring.epoch, 1, []])
  records.save([['codex:s1', 'first']])
  ring.close()
  const again = await openRecords(dir)
  expect(again.records.all()).toEqual(['first'])
  again.ring.close()
})
