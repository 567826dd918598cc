import { EventEmitter, once } from 'node:events'
import { lstatSync, utimesSync } from 'node:fs'
import { afterEach, expect, test, vi } from 'vitest'
import { claimLockFile } from '../../../src/host/process/instance-lock.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { bundleProgram, runProgram, runPrograms } from '../child-program.ts'

const CLAIM = `
  import { claimLockFile } from '#host/process/instance-lock.ts'
  process.umask(0o000)
  const claim = await claimLockFile(process.argv[2], { onLost() {} })
  console.log(claim.kind)
  setInterval(() => {}, 60_000)
`

const onLost = () => {}

afterEach(() => {
  vi.useRealTimers()
})

test('one of several processes that claim at once gets the lock file, 0700 (R-01, R-04)', async () => {
  await using dir = await createTempDir()
  await using program = await bundleProgram(CLAIM)
  await using starters = runPrograms(6, program, [dir.file('lock')])

  const claims = await starters.nextLines()

  expect(claims.filter((kind) => kind === 'claimed')).toHaveLength(1)
  expect(claims.filter((kind) => kind === 'taken')).toHaveLength(5)
  expect(lstatSync(dir.file('lock')).mode & 0o777).toBe(0o700)
})

test('a released lock is free again, and a second release is harmless', async () => {
  await using dir = await createTempDir()
  const first = await claimLockFile(dir.file('lock'), { onLost })
  if (first.kind !== 'claimed') throw new Error('expected the claim to be granted')
  expect(await claimLockFile(dir.file('lock'), { onLost })).toEqual({ kind: 'taken' })

  await first.lock.release()
  await first.lock.release()

  const second = await claimLockFile(dir.file('lock'), { onLost })
  expect(second.kind).toBe('claimed')
  if (second.kind === 'claimed') await second.lock.release()
})

test('the lock of a killed process is taken over after the stale time, not before', async () => {
  await using dir = await createTempDir()
  await using program = await bundleProgram(CLAIM)
  await using owner = runProgram(program, [dir.file('lock')])
  expect(await owner.nextLine()).toBe('claimed')
  await owner.kill('SIGKILL')

  const aged = (seconds: number) => {
    const then = new Date(Date.now() - seconds * 1000)
    utimesSync(dir.file('lock'), then, then)
    return claimLockFile(dir.file('lock'), { onLost })
  }

  expect(await aged(50)).toEqual({ kind: 'taken' })
  const claim = await aged(61)
  expect(claim.kind).toBe('claimed')
  if (claim.kind === 'claimed') await claim.lock.release()
})

test("a holder whose lock went to another is told, and its release spares the other's (R-07)", async () => {
  await using dir = await createTempDir()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const events = new EventEmitter()
  const lost = once(events, 'lost')
  const claim = await claimLockFile(dir.file('lock'), { onLost: (reason) => events.emit('lost', reason) })

  // Another's renewal, as the time on the lock shows it.
  const then = new Date(Date.now() - 5_000)
  utimesSync(dir.file('lock'), then, then)
  vi.advanceTimersByTime(10_000)

  const [reason] = await lost
  expect(reason).toBeInstanceOf(Error)
  if (claim.kind === 'claimed') await claim.lock.release()
  expect(lstatSync(dir.file('lock')).isDirectory()).toBe(true)
})

test('a directory that is not there is a defect, not a taken lock', async () => {
  await using dir = await createTempDir()

  await expect(claimLockFile(dir.file('missing/lock'), { onLost })).rejects.toThrow('ENOENT')
})
