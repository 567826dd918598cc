import { lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { afterEach, expect, test, vi } from 'vitest'
import { claimLockDatabase } from '../../../src/store/file/lock-database.ts'
import { bundleProgram, runProgram, runPrograms } from '../../host/child-program.ts'
import { createTempDir } from '../../support/temp-dir.ts'

const CLAIM = `
  import { claimLockDatabase } from '#store/file/lock-database.ts'
  process.umask(Number.parseInt(process.argv[3] ?? '022', 8))
  const claim = await claimLockDatabase(process.argv[2])
  console.log(claim.kind)
  setInterval(() => claim, 60_000)
`

async function claimed(path: string) {
  const claim = await claimLockDatabase(path)
  if (claim.kind !== 'claimed') throw new Error(`expected the claim to be granted, not ${claim.kind}`)
  return claim.lock
}

/** What better-sqlite3 does where its binary was not built. */
function driverWithoutBinary(): never {
  throw new Error('Could not locate the bindings file')
}

afterEach(() => {
  vi.doUnmock('better-sqlite3')
  vi.restoreAllMocks()
  vi.resetModules()
})

test('one of several processes that claim at once gets the lock (R-04)', async () => {
  await using dir = await createTempDir()
  await using program = await bundleProgram(CLAIM)
  await using starters = runPrograms(8, program, [dir.file('lock.db')])

  const claims = await starters.nextLines()

  expect(claims.filter((kind) => kind === 'claimed')).toHaveLength(1)
  expect(claims.filter((kind) => kind === 'taken')).toHaveLength(7)
})

test('the lock of a killed process is free at once, that of a stopped one is kept (R-04, R-07)', async () => {
  await using dir = await createTempDir()
  await using program = await bundleProgram(CLAIM)
  await using owner = runProgram(program, [dir.file('lock.db')])
  expect(await owner.nextLine()).toBe('claimed')

  await owner.kill('SIGSTOP')
  expect(await claimLockDatabase(dir.file('lock.db'))).toEqual({ kind: 'taken' })
  await owner.kill('SIGKILL')

  const lock = await claimed(dir.file('lock.db'))
  await lock.release()
})

test('a claim made twice in one process is taken, and does not drop the first', async () => {
  await using dir = await createTempDir()
  await using program = await bundleProgram(CLAIM)
  const lock = await claimed(dir.file('lock.db'))

  expect(await claimLockDatabase(dir.file('lock.db'))).toEqual({ kind: 'taken' })
  await using other = runProgram(program, [dir.file('lock.db')])
  expect(await other.nextLine()).toBe('taken')

  await lock.release()
  await lock.release()
  const next = await claimed(dir.file('lock.db'))
  await next.release()
})

test.each(['000', '002', '022', '077'])('the file is 0600 and alone under umask %s (R-01)', async (umask) => {
  await using dir = await createTempDir()
  await using program = await bundleProgram(CLAIM)
  await using owner = runProgram(program, [dir.file('lock.db'), umask])

  expect(await owner.nextLine()).toBe('claimed')
  expect(lstatSync(dir.file('lock.db')).mode & 0o777).toBe(0o600)
  expect(readdirSync(dir.path)).toEqual(['lock.db'])
})

test('something else at the path is told, not taken for a lock (R-02)', async () => {
  await using dir = await createTempDir()
  mkdirSync(dir.file('lock.db'))

  await expect(claimLockDatabase(dir.file('lock.db'))).rejects.toThrow('no regular file')
})

test('without any SQLite the lock is unavailable, with the reason', async () => {
  await using dir = await createTempDir()
  vi.resetModules()
  vi.doMock('better-sqlite3', () => ({
    default: driverWithoutBinary,
  }))
  vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
  const { claimLockDatabase: claim } = await import('../../../src/store/file/lock-database.ts')

  expect(await claim(dir.file('lock.db'))).toEqual({
    kind: 'unavailable',
    reason: expect.stringMatching(
      /^better-sqlite3 has no binary for Node [\d.]+, and Node's own SQLite begins with Node 22.16/,
    ),
  })
  expect(readdirSync(dir.path)).toEqual([])
})
