/** What the store asks of SQLite is the same whoever brings it: better-sqlite3, and Node itself where it has one. */
import { readFileSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Driver } from '../../../src/store/driver/database.ts'
import { driverFailure, isFull, loadDriver } from '../../../src/store/driver/driver.ts'
import { nodeSqlite } from '../../../src/store/driver/node-sqlite.ts'
import { isSo } from '../../support/needs.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'

const HAS_OWN = process.getBuiltinModule('node:sqlite') !== undefined

const DRIVERS: readonly (readonly [string, boolean, () => Driver | Promise<Driver>])[] = [
  ['the driver that is chosen here', true, chosen],
  ["Node's own SQLite", isSo(HAS_OWN, 'this Node has no SQLite of its own'), nodeSqlite],
]

async function chosen(): Promise<Driver> {
  const driver = await loadDriver()
  if (typeof driver === 'string') throw new Error(driver)
  return driver
}

/** A table of numbers with a text each. */
function openTable(driver: Driver, dir: TempDir, rows: number) {
  const database = new driver(dir.file('a.db'), { timeout: 0 })
  database.exec('CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT) STRICT')
  const insert = database.prepare<[number, string | null]>('INSERT INTO t VALUES (?, ?)')
  database.transaction(() => {
    for (let n = 1; n <= rows; n += 1) insert.run(n, `text ${n}`)
  })()
  return { database, insert }
}

/** What it throws; what it returns where it throws nothing. */
function caught(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    return error
  }
}

describe.each(DRIVERS)('%s', (_name, isThere, load) => {
  test.runIf(isThere)(
    'binds one by one or as a list, and gives rows as objects, lists and values',
    async () => {
      await using dir = await createTempDir()
      const { database } = openTable(await load(), dir, 3)
      const insert = database.prepare<[(number | null)[]]>('INSERT INTO t VALUES (?, ?)')

      expect(insert.run([2 ** 40, null])).toMatchObject({ changes: 1, lastInsertRowid: 2 ** 40 })
      expect({ ...database.prepare<[number], object>('SELECT * FROM t WHERE n = ?').get(2) }).toEqual({
        n: 2,
        text: 'text 2',
      })
      expect(database.prepare('SELECT n, text FROM t WHERE n > 2').raw().all()).toEqual([
        [3, 'text 3'],
        [2 ** 40, null],
      ])
      expect(database.prepare('SELECT text FROM t WHERE n > 1 ORDER BY n').pluck().all()).toEqual([
        'text 2',
        'text 3',
        null,
      ])
      expect(database.prepare('SELECT n FROM t WHERE n < 0').get()).toBeUndefined()
      database.close()
    },
  )

  test.runIf(isThere)(
    'texts come back whole and are found whole, with null characters too, as objects, lists and values',
    async () => {
      await using dir = await createTempDir()
      const { database, insert } = openTable(await load(), dir, 1)
      const hostile = ['a\0b', '\0', 'a\0', '\0\0ö\u{1F600}', '\uFEFFa\0', '', '\\0', `'"\0`]
      hostile.forEach((text, i) => void insert.run(i + 2, text))
      const all = database.prepare<[], { text: string }>('SELECT * FROM t WHERE n > 1 ORDER BY n')
      const find = database.prepare<[{ text: string }], number>('SELECT n FROM t WHERE text = @text').pluck()
      const joined = database
        .prepare<[], [string]>('SELECT text || char(0) || n AS "a ""name""" FROM t')
        .raw()

      expect(all.all().map(({ text }) => text)).toEqual(hostile)
      expect([...all.iterate()].map(({ text }) => find.get({ text }))).toEqual(hostile.map((_, i) => i + 2))
      expect(database.prepare('SELECT text FROM t WHERE n = 2').pluck().get()).toBe('a\0b')
      expect(find.get({ text: 'a' })).toBeUndefined()
      expect(joined.get()).toEqual(['text 1\x001'])
      database.close()
    },
  )

  test.runIf(isThere)('a reading that stops early holds nothing back', async () => {
    await using dir = await createTempDir()
    const { database } = openTable(await load(), dir, 100)
    database.pragma('journal_mode = WAL')
    const rows = database.prepare<[], number>('SELECT n FROM t').pluck()

    for (const n of rows.iterate()) if (n === 3) break

    expect(rows.all()).toHaveLength(100)
    expect(database.pragma('wal_checkpoint(TRUNCATE)')).toMatchObject([{ busy: 0 }])
    database.close()
  })

  test.runIf(isThere)(
    'a transaction is undone by what is thrown, and an inner one alone by its own',
    async () => {
      await using dir = await createTempDir()
      const { database, insert } = openTable(await load(), dir, 0)
      const fail = database.transaction(() => {
        insert.run(2, 'inner')
        throw new RangeError('no')
      })

      const outer = database.transaction(() => {
        insert.run(1, 'outer')
        expect(database.inTransaction).toBe(true)
        expect(fail).toThrow(RangeError)
      })
      outer()
      expect(fail).toThrow(RangeError)

      expect(database.inTransaction).toBe(false)
      expect(database.prepare('SELECT n FROM t').pluck().all()).toEqual([1])
      database.close()
    },
  )

  test.runIf(isThere)(
    'a copy that is written into meanwhile has every commit when it is done (HD-13)',
    async () => {
      await using dir = await createTempDir()
      const driver = await load()
      const { database, insert } = openTable(driver, dir, 20_000)
      let last = 20_000
      const copy = database.backup(dir.file('copy.db'), { progress: () => 1 })
      const writing = setInterval(() => insert.run((last += 1), 'meanwhile'), 0)

      await copy
      const committed = last
      clearInterval(writing)

      const copied = new driver(dir.file('copy.db'), { readonly: true, timeout: 0 })
      expect(committed).toBeGreaterThan(20_000)
      expect(copied.prepare('SELECT max(n) FROM t').pluck().get()).toBe(committed)
      expect(copied.pragma('quick_check', { simple: true })).toBe('ok')
      for (const each of [copied, database]) each.close()
    },
  )

  test.runIf(isThere)('what SQLite refuses has its name: held, damaged, full, no such file', async () => {
    await using dir = await createTempDir()
    const driver = await load()
    const { database, insert } = openTable(driver, dir, 1)

    database.exec('BEGIN EXCLUSIVE')
    const other = new driver(dir.file('a.db'), { timeout: 0 })
    expect(driverFailure(caught(() => other.prepare('SELECT * FROM t').all()))).toBe('held')
    database.exec('COMMIT')
    other.close()
    database.pragma(`max_page_count = ${String(database.pragma('page_count', { simple: true }))}`)
    expect(isFull(caught(() => insert.run(2, 'x'.repeat(100_000))))).toBe(true)
    expect(caught(() => insert.run(1, 'again'))).toMatchObject({
      code: expect.stringMatching(/^SQLITE_CONSTRAINT/),
    })
    expect(caught(() => database.exec('SELEKT'))).toMatchObject({ code: 'SQLITE_ERROR' })
    database.close()
    expect(database.open).toBe(false)
    const missing = caught(() => new driver(dir.file('no', 'a.db'), { timeout: 0 }))
    expect(missing).toBeInstanceOf(Error)
    const none = new driver(import.meta.filename, { readonly: true, timeout: 0 })
    expect(driverFailure(caught(() => none.prepare('SELECT * FROM t').all()))).toBe('damaged')
    none.close()
  })
})

test.runIf(HAS_OWN)(
  "a copy that is never left alone is made at one go, and the file's name may hold a quote",
  async () => {
    await using dir = await createTempDir()
    const { database, insert } = openTable(nodeSqlite(), dir, 5_000)
    let last = 5_000
    const writing = setInterval(() => insert.run((last += 1), "it's"), 0)
    const path = dir.file("it's.db")

    await database.backup(path, { progress: () => 1 })
    clearInterval(writing)

    expect(statSync(path).size).toBeGreaterThan(0)
    expect(readFileSync(path, 'latin1').startsWith('SQLite format 3')).toBe(true)
    database.close()
  },
)
