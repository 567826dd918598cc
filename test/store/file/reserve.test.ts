/**
 * Room that is kept for forgetting (HD-15).
 */
import { existsSync, lstatSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Reserve, RESERVE_BYTES } from '../../../src/store/file/reserve.ts'
import { openRing, requireDriver, retainedFrames, watchDriver } from '../../support/rings.ts'
import { createTempDir } from '../../support/temp-dir.ts'

function fullError(): Error {
  return Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
}

test('it is laid by once, private, at its full size, and given up once (HD-15)', async () => {
  await using dir = await createTempDir()
  const path = dir.file('ring.reserve')
  const reserve = new Reserve(path)
  writeFileSync(path, 'cut short by a kill', { mode: 0o600 })

  reserve.ensure()
  const { size, mode, blocks, mtimeMs } = lstatSync(path)
  reserve.ensure()

  expect([size, mode & 0o777]).toEqual([RESERVE_BYTES, 0o600])
  expect(blocks * 512).toBeGreaterThanOrEqual(RESERVE_BYTES)
  expect(lstatSync(path).mtimeMs).toBe(mtimeMs)
  expect([reserve.release(), reserve.release(), existsSync(path)]).toEqual([true, false, false])
})

test('where its directory is gone there is no reserve, and no error (HD-15)', async () => {
  await using dir = await createTempDir()
  const reserve = new Reserve(dir.file('gone', 'ring.reserve'))

  reserve.ensure()

  expect(reserve.release()).toBe(false)
})

test('forgetting on a full disk takes the room of the reserve, and overwrites what it deletes (HD-15)', async () => {
  await using dir = await createTempDir()
  const { driver, connections } = watchDriver(await requireDriver())
  const ring = await openRing(dir, { driver })
  ring.append(retainedFrames(3))
  ring.file.reserve.ensure()
  const modes: unknown[] = []

  ring.file.erasing(() => {
    modes.push(connections[0]?.pragma('secure_delete', { simple: true }))
    if (existsSync(dir.file('ring.reserve'))) throw fullError()
  })

  expect(modes).toEqual([1, 1])
  expect(connections[0]?.pragma('secure_delete', { simple: true })).toBe(2)
  ring.close()
})

test('where even that is not enough, it is deleted without being overwritten (HD-15)', async () => {
  await using dir = await createTempDir()
  const { driver, connections } = watchDriver(await requireDriver())
  const ring = await openRing(dir, { driver })
  ring.file.reserve.ensure()
  const modes: unknown[] = []

  ring.file.erasing(() => {
    const mode = connections[0]?.pragma('secure_delete', { simple: true })
    modes.push(mode)
    if (mode === 1) throw fullError()
  })

  expect(modes).toEqual([1, 1, 2])
  ring.close()
})

test('the reserve is for a full disk: another fault leaves it where it is (HD-15)', async () => {
  await using dir = await createTempDir()
  const ring = await openRing(dir)
  ring.file.reserve.ensure()
  const fault = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' })

  expect(() =>
    ring.file.erasing(() => {
      throw fault
    }),
  ).toThrow(fault)
  expect(existsSync(dir.file('ring.reserve'))).toBe(true)
  ring.close()
})
