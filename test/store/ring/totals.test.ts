/**
 * How much the ring holds, known after a kill without counting, and never believed where it could be wrong.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SqliteRing } from '../../../src/store/ring/sqlite-ring.ts'
import { copyStore } from '../../support/damage.ts'
import { ROOMY, forgetAll, openRing, requireDriver, retainedFrames } from '../../support/rings.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'

/** A bound small enough that most turns trim. */
const SMALL = { ...ROOMY, maxFrames: 40 }

function totalsOf({ count, bytes }: SqliteRing) {
  return { frames: count, bytes }
}

/** What the rows come to, counted by nobody else's word. */
async function countRows(dir: TempDir) {
  const driver = await requireDriver()
  await using copy = await createTempDir()
  copyStore(dir, copy)
  const database = new driver(copy.file('ring.db'))
  const row = database
    .prepare('SELECT count(*) AS frames, coalesce(sum(bytes), 0) AS bytes FROM frames')
    .get()
  database.close()
  return row
}

/** What a kill leaves. */
async function openKilled(dir: TempDir, change: (left: TempDir) => void = () => {}) {
  await using left = await createTempDir()
  copyStore(dir, left)
  change(left)
  const ring = await openRing(left, { retention: SMALL })
  const found = { epoch: ring.epoch, totals: totalsOf(ring) }
  ring.close()
  return found
}

test('after a kill the totals are what the rows come to, whatever was appended, trimmed and forgotten', async () => {
  const turn = fc.oneof(
    fc.record({ append: fc.integer({ min: 1, max: 30 }) }),
    fc.record({ forget: fc.constantFrom('agent_query', 'agent_advisory') }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 6 }), async (turns) => {
      await using dir = await createTempDir()
      const ring = await openRing(dir, { retention: SMALL })
      for (const step of turns) {
        if ('append' in step) ring.append(retainedFrames(step.append))
        else forgetAll(ring, { kind: step.forget })
      }
      const left = await openKilled(dir)

      expect(left).toEqual({ epoch: ring.epoch, totals: totalsOf(ring) })
      expect(left.totals).toEqual(await countRows(dir))
      ring.close()
    }),
    { numRuns: 25 },
  )
})

test.each<[string, (mark: string) => string]>([
  ['is of an earlier commit', (mark) => mark.replace(/ (\d{16}) /, ' 0000000000000002 ')],
  ['is of another epoch', (mark) => mark.replace(/^\w{8}/, '00000000')],
  ['says nothing of them, as an older one does', (mark) => mark.slice(0, 25)],
  ['was left while frames were being forgotten', (mark) => mark.slice(0, 25).padEnd(59)],
  ['is no mark', () => 'x'.repeat(59)],
  ['is empty', () => ''],
])('rows are counted where the mark %s', async (_, change) => {
  await using dir = await createTempDir()
  const ring = await openRing(dir, { retention: SMALL })
  for (let i = 0; i < 3; i += 1) ring.append(retainedFrames(1))
  const wrong = (mark: string): string =>
    change(mark.replace(/ \d{16} \d{16}$/, ` ${'9'.repeat(16)} ${'9'.repeat(16)}`))

  const { totals } = await openKilled(dir, (left) => {
    const path = left.file('ring.mark')
    writeFileSync(path, wrong(readFileSync(path, 'latin1')))
  })

  expect(totals).toEqual(totalsOf(ring))
  ring.close()
})

test('nothing is counted where the mark is of the last commit', async () => {
  await using dir = await createTempDir()
  const ring = await openRing(dir, { retention: SMALL })
  ring.append(retainedFrames(3))

  const { totals } = await openKilled(dir, (left) => {
    const path = left.file('ring.mark')
    writeFileSync(path, readFileSync(path, 'latin1').replace(/ \d{16} (\d{16})$/, ' 0000000000000007 $1'))
  })

  expect(totals).toEqual({ frames: 7, bytes: ring.bytes })
  ring.close()
})

test('rows are counted without a mark, and after the machine went down', async () => {
  await using dir = await createTempDir()
  await using left = await createTempDir()
  const ring = await openRing(dir)
  ring.append(retainedFrames(5))

  expect((await openKilled(dir, (copy) => rmSync(copy.file('ring.mark')))).totals).toEqual(totalsOf(ring))
  copyStore(dir, left)
  writeFileSync(
    left.file('ring.mark'),
    readFileSync(left.file('ring.mark'), 'latin1').replace(/\d{16}$/, '9'.repeat(16)),
  )
  const elsewhere = await openRing(left, { ack: 'disk', bootId: 'boot-2' })
  expect(totalsOf(elsewhere)).toEqual(totalsOf(ring))
  elsewhere.close()
  ring.close()
})
