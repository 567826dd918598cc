/** A statement that asks for texts with a null character as octets has the rows of the one it was made from. */
import { expect, test } from 'vitest'
import { loadDriver } from '../../../src/store/driver/driver.ts'
import { askedWhole, withTexts, type Column } from '../../../src/store/driver/whole-texts.ts'

const TEXT = 'TEXT'

async function openTable() {
  const driver = await loadDriver()
  if (typeof driver === 'string') throw new Error(driver)
  const database = new driver(':memory:')
  database.exec('CREATE TABLE t (n INTEGER PRIMARY KEY, a TEXT, b REAL); CREATE INDEX t_by_a ON t (a, n)')
  const insert = database.prepare<[number, string | null, number | null]>('INSERT INTO t VALUES (?, ?, ?)')
  insert.run(1, 'plain', 0.5)
  insert.run(2, 'x\0y', null)
  insert.run(3, null, -1)
  return database
}

const QUERIES: readonly (readonly [string, readonly Column[], readonly unknown[]])[] = [
  [
    'SELECT * FROM t ORDER BY a DESC, n',
    [
      { name: 'n', type: 'INTEGER' },
      { name: 'a', type: TEXT },
      { name: 'b', type: 'REAL' },
    ],
    [],
  ],
  [
    'SELECT a, a AS "say ""a""", b FROM t WHERE n > ? ORDER BY n DESC LIMIT ?',
    [
      { name: 'a', type: TEXT },
      { name: 'say "a"', type: TEXT },
      { name: 'b', type: 'REAL' },
    ],
    [0, 2],
  ],
  ['SELECT count(*) FROM t', [{ name: 'count(*)', type: null }], []],
  [
    'SELECT a, a FROM t INDEXED BY t_by_a WHERE a = ?',
    [
      { name: 'a', type: TEXT },
      { name: 'a', type: TEXT },
    ],
    ['x\0y'],
  ],
]

test.each(QUERIES)('the same rows in the same order: %s', async (sql, columns, bound) => {
  const database = await openTable()
  const plain = database.prepare<unknown[], object>(sql)

  const asked = database.prepare<unknown[], object>(askedWhole(sql, columns))

  expect(asked.all(...bound).map(withTexts)).toEqual(plain.all(...bound).map((row) => ({ ...row })))
  expect(
    asked
      .raw()
      .all(...bound)
      .map(withTexts),
  ).toEqual(plain.raw().all(...bound))
  database.close()
})

test('only a text with a null character takes the longer way', async () => {
  const database = await openTable()

  const rows = database
    .prepare(askedWhole('SELECT a FROM t ORDER BY n', [{ name: 'a', type: TEXT }]))
    .pluck()
    .all()

  expect(rows).toEqual(['plain', expect.any(Uint8Array), null])
  expect(withTexts(rows)).toEqual(['plain', 'x\0y', null])
  expect(withTexts(undefined)).toBeUndefined()
  database.close()
})
