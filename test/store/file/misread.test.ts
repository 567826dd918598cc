/**
 * A read error is not damage (HD-14): the disk is asked again before anything is set aside.
 */
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Driver } from '../../../src/store/driver/database.ts'
import { DamagedRow } from '../../../src/store/rows/row.ts'
import type { SqliteRing } from '../../../src/store/ring/sqlite-ring.ts'
import { copyStore } from '../../support/damage.ts'
import { openRing, requireDriver, retained, retainedFrames, watchDriver } from '../../support/rings.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'

/** As a disk that fails once: the error of the given code, and never again. */
function once(code: string): () => void {
  let isDue = true
  return () => {
    if (!isDue) return
    isDue = false
    throw Object.assign(new Error('the disk gave something else'), { code })
  }
}

/** A driver whose connections fail at a pragma, as often as `fail` throws. */
async function driverFailingAt(pragma: string, fail: () => unknown): Promise<Driver> {
  const driver = await requireDriver()
  class Failing extends driver {
    override pragma(source: string, options?: { simple?: boolean }): unknown {
      if (source.startsWith(pragma)) {
        const verdict = fail()
        if (verdict !== undefined) return verdict
      }
      return super.pragma(source, options)
    }
  }
  return Failing
}

function readWrongly(): never {
  throw new DamagedRow('its check does not fit')
}

function namesAside(dir: TempDir): readonly string[] {
  return readdirSync(dir.path).filter((name) => name.startsWith('ring.corrupt-'))
}

function keysOf(ring: SqliteRing): readonly string[] {
  return ring.read(0, 1_000).map(({ key }) => key)
}

/** A store as a machine that went down has left it. */
async function leftStore(dir: TempDir): Promise<readonly string[]> {
  await using first = await createTempDir()
  const ring = await openRing(first, { ack: 'disk' })
  ring.append(retainedFrames(50))
  const keys = keysOf(ring)
  copyStore(first, dir)
  ring.close()
  return keys
}

test.each(['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_IOERR_READ'])(
  'a start that meets %s once goes on with the store (HD-14)',
  async (code) => {
    await using dir = await createTempDir()
    const keys = await leftStore(dir)
    const driver = await driverFailingAt('journal_mode', once(code))

    const ring = await openRing(dir, { driver, ack: 'disk', bootId: 'boot-2' })

    expect([keysOf(ring), namesAside(dir)]).toEqual([keys, []])
    ring.close()
  },
)

test('a page that a check could not read is no damage, however often: the start is refused (HD-14)', async () => {
  await using dir = await createTempDir()
  const keys = await leftStore(dir)
  const driver = await driverFailingAt(
    'quick_check',
    () => '*** in database main ***\nTree 4 page 306: unable to get the page. error code=266',
  )

  const refused = openRing(dir, { driver, ack: 'disk', bootId: 'boot-2' })

  await expect(refused).rejects.toMatchObject({ code: 'SQLITE_IOERR' })
  expect(namesAside(dir)).toEqual([])
  const ring = await openRing(dir, { ack: 'disk', bootId: 'boot-2' })
  expect(keysOf(ring)).toEqual(keys)
  ring.close()
})

test('a row that is read wrongly once is read again from the file, opened anew, and nothing is set aside (HD-14)', async () => {
  await using dir = await createTempDir()
  const { driver, connections } = watchDriver(await requireDriver())
  const ring = await openRing(dir, { driver })
  ring.append(retainedFrames(20))
  const { epoch } = ring
  const fail = once('SQLITE_CORRUPT')

  const read = ring.unlessDamaged(() => {
    fail()
    return keysOf(ring).length
  })
  ring.append([retained()])

  expect([read, ring.epoch, ring.count, ring.lastSeq]).toEqual([20, epoch, 21, 21])
  expect([connections.length, connections[0]?.open, namesAside(dir)]).toEqual([2, false, []])
  ring.close()
  const again = await openRing(dir)
  expect([again.epoch, again.count]).toEqual([epoch, 21])
  again.close()
})

test('what is wrong twice is damage, and set aside (HD-14)', async () => {
  await using dir = await createTempDir()
  const ring = await openRing(dir)
  ring.append(retainedFrames(20))
  const { epoch } = ring
  let reads = 0

  const read = ring.unlessDamaged(() => {
    reads += 1
    throw new DamagedRow('its check does not fit')
  })

  expect([read, reads, ring.count]).toEqual([undefined, 2, 0])
  expect(ring.epoch).not.toBe(epoch)
  expect(namesAside(dir).filter((name) => !/-(?:wal|shm)$/.test(name))).toHaveLength(1)
  ring.close()
})

test.each(['SQLITE_BUSY', 'SQLITE_CORRUPT', 'EROFS'])(
  'a store that cannot be begun anew for %s refuses, and is no defect (HD-14)',
  async (code) => {
    await using dir = await createTempDir()
    let isFailing = false
    const driver = await driverFailingAt('journal_mode', () => {
      if (isFailing) throw Object.assign(new Error('not now'), { code })
    })
    const ring = await openRing(dir, { driver })
    ring.append(retainedFrames(3))
    isFailing = true

    expect(() => ring.unlessDamaged(readWrongly)).toThrow(expect.objectContaining({ code: 'store-full' }))
    expect(() => ring.append([retained()])).toThrow(expect.objectContaining({ code: 'store-full' }))
    isFailing = false
    ring.append([retained()])

    expect(ring.read(0, 10).length).toBeGreaterThan(0)
    ring.close()
  },
)
