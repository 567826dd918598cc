import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
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

/** The same, standing still between its first look at the directory and its claim. */
const SLOW = `
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  import { claimLockFile } from '#host/process/instance-lock.ts'
  const { writeFileSync } = fs
  let calls = 0
  fs.writeFileSync = (path, ...given) => {
    calls += 1
    if (calls === 1) fs.writeSync(1, 'has looked\\n')
    while (calls === 1 && !fs.existsSync(process.argv[2] + '/../go')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    writeFileSync(path, ...given)
  }
  syncBuiltinESMExports()
  const claim = await claimLockFile(process.argv[2], { onLost() {} })
  console.log(claim.kind)
  setInterval(() => {}, 60_000)
`

const NAMESPACE = process.platform === 'linux' ? readlinkSync('/proc/self/ns/pid') : 'none'

const onLost = () => {}

/** Lets the claims in a lock be as old as that. */
function age(lock: string, seconds: number): void {
  const then = new Date(Date.now() - seconds * 1_000)
  for (const name of readdirSync(lock)) utimesSync(join(lock, name), then, then)
}

async function claimed(path: string) {
  const claim = await claimLockFile(path, { onLost })
  if (claim.kind !== 'claimed') throw new Error(`expected the claim to be granted, not ${claim.kind}`)
  return claim.lock
}

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

test('the lock of a killed process is free at once, that of a stopped one is kept (R-06, R-07)', async () => {
  await using dir = await createTempDir()
  await using program = await bundleProgram(CLAIM)
  await using owner = runProgram(program, [dir.file('lock')])
  expect(await owner.nextLine()).toBe('claimed')

  await owner.kill('SIGSTOP')
  age(dir.file('lock'), 3_600)
  expect(await claimLockFile(dir.file('lock'), { onLost })).toEqual({ kind: 'taken' })
  await owner.kill('SIGKILL')

  await (await claimed(dir.file('lock'))).release()
})

test('of many that take over the lock of a killed process one gets it, three times (R-04, R-06)', async () => {
  await using dir = await createTempDir()
  await using program = await bundleProgram(CLAIM)
  const winners: number[] = []

  for (let round = 0; round < 3; round += 1) {
    await using starters = runPrograms(6, program, [dir.file('lock')])
    const claims = await starters.nextLines()
    winners.push(claims.filter((kind) => kind === 'claimed').length)
  }

  expect(winners).toEqual(Array.from({ length: 3 }, () => 1))
  expect(readdirSync(dir.file('lock'))).toHaveLength(1)
})

test('a claim made on an old sight of the directory is withdrawn where a higher one came meanwhile (R-04)', async () => {
  await using dir = await createTempDir()
  await using program = await bundleProgram(SLOW)
  await using slow = runProgram(program, [dir.file('lock')])
  expect(await slow.nextLine()).toBe('has looked')

  // Three lives and their ends, so that the number it is about to take is free again.
  for (let life = 0; life < 3; life += 1) await (await claimed(dir.file('lock'))).release()
  await claimed(dir.file('lock'))
  writeFileSync(dir.file('go'), '')

  expect(await slow.nextLine()).toBe('taken')
  expect(readdirSync(dir.file('lock'))).toEqual(['4'])
})

test.each([
  ['of a process that has another start time', `${process.pid} ${NAMESPACE} boot:1`, 'claimed', 'claimed'],
  ['of a number that no process has', `2147483646 ${NAMESPACE} boot:1`, 'claimed', 'claimed'],
  ['from a container with numbers of its own', '1 pid:[1] boot:1', 'taken', 'claimed'],
  ['that a crash left empty', '', 'claimed', 'claimed'],
  ['that a crash left half', `${process.pid} ${NAMESPACE}`, 'claimed', 'claimed'],
  ['of rubbish', '\u{0}\u{0}\u{0}\u{0}\nnot ours', 'claimed', 'claimed'],
  ['of a process of another user that has another start time', `1 ${NAMESPACE} boot:1`, 'claimed', 'claimed'],
])("a claim %s counts as long as it may be somebody's (R-06)", async (_, text, young, old) => {
  await using dir = await createTempDir()
  const after = async (seconds: number): Promise<string> => {
    rmSync(dir.file('lock'), { recursive: true, force: true })
    mkdirSync(dir.file('lock'))
    writeFileSync(dir.file('lock', '7'), text)
    age(dir.file('lock'), seconds)
    const claim = await claimLockFile(dir.file('lock'), { onLost })
    if (claim.kind === 'claimed') await claim.lock.release()
    return claim.kind
  }

  expect([await after(50), await after(61)]).toEqual([young, old])
})

test("a holder whose lock went to another is told once, and its release spares the other's (R-07)", async () => {
  await using dir = await createTempDir()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const told: string[] = []
  const claim = await claimLockFile(dir.file('lock'), { onLost: ({ message }) => told.push(message) })
  if (claim.kind !== 'claimed') throw new Error('expected the claim to be granted')
  vi.advanceTimersByTime(10_000)
  expect(told).toEqual([])

  writeFileSync(dir.file('lock', '2'), "another's")
  rmSync(dir.file('lock', '1'))
  vi.advanceTimersByTime(30_000)
  await claim.lock.release()

  expect(told).toEqual([expect.stringContaining('was removed')])
  expect(readdirSync(dir.file('lock'))).toEqual(['2'])
  expect(readFileSync(dir.file('lock', '2'), 'utf8')).toBe("another's")
})

test('a directory that is not there is a defect, not a taken lock', async () => {
  await using dir = await createTempDir()

  await expect(claimLockFile(dir.file('missing/lock'), { onLost })).rejects.toThrow('ENOENT')
})
