import { execFile } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { announceReady, startDaemon } from '../../../src/host/process/daemon-process.ts'
import type { DaemonStart } from '../../../src/host/process/daemon-process.ts'
import { processStartTime } from '../../../src/host/process/processes.ts'
import { HostRefusal } from '../../../src/host/files/refusal.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import type { TempDir } from '../../support/temp-dir.ts'
import { bundleProgram } from '../child-program.ts'
import type { ChildProgram } from '../child-program.ts'
import { surroundings } from '../surroundings.ts'

const HEAD = `
  import { announceReady } from '#host/process/daemon-process.ts'
  import { readEnvironment } from '#host/config/paths.ts'
  const environment = readEnvironment()
  const state = environment.env.AGENTD_STATE_DIR
  console.error(JSON.stringify({ pid: process.pid, cwd: process.cwd(), argv: process.argv.slice(2), state }))
`

/** Says its word, then lives until it is killed. */
const READY = `${HEAD}
  announceReady(environment, { kind: 'ready' })
  announceReady(environment, { kind: 'ready' })
  console.error('left: ' + environment.env.AGENTD_READY_FD)
  setInterval(() => {}, 60_000)
`

function start(dir: TempDir, program: ChildProgram, more: Partial<DaemonStart> = {}): DaemonStart {
  const { path: entry } = program
  return { nodePath: process.execPath, entry, env: process.env, logPath: dir.file('log'), ...more }
}

/** What the program said of itself in its log. */
function saidBy(dir: TempDir) {
  const [line = ''] = readFileSync(dir.file('log'), 'utf8').split('\n')
  return JSON.parse(line)
}

test('a daemon that says ready is ready, detached, and its stderr is in the log', async () => {
  await using dir = await createTempDir()
  await using program = await bundleProgram(READY)
  const env = { ...process.env, AGENTD_STATE_DIR: 'relative' }

  const started = await startDaemon(start(dir, program, { env }))

  expect(started).toEqual({ kind: 'ready' })
  const said = saidBy(dir)
  process.kill(said.pid, 'SIGKILL')
  expect(said).toMatchObject({ cwd: '/', argv: [], state: `${process.cwd()}/relative` })
})

test('the starter can leave while the daemon stays', async () => {
  await using dir = await createTempDir()
  await using daemon = await bundleProgram(READY)
  await using starter = await bundleProgram(`
    import { startDaemon } from '#host/process/daemon-process.ts'
    const [, , entry, logPath] = process.argv
    const { env, execPath: nodePath } = process
    const started = await startDaemon({ nodePath, entry, env, logPath })
    console.log(started.kind)
  `)

  const { stdout } = await promisify(execFile)(process.execPath, [starter.path, daemon.path, dir.file('log')])

  expect(stdout).toBe('ready\n')
  const { pid } = saidBy(dir)
  expect(processStartTime(pid)).toBeDefined()
  process.kill(pid, 'SIGKILL')
})

test.each([
  ['refused', 'refused'],
  ['taken', 'taken'],
  ['failed', 'failed'],
])(
  'a daemon that says it is %s is told as %s by the word, and its sentence quoted on one line (R-04)',
  async (said, kind) => {
    await using dir = await createTempDir()
    await using program = await bundleProgram(`${HEAD}
      announceReady(environment, { kind: '${said}', message: 'taken: The directory\\n is already serving.' })
      process.exitCode = 78
    `)

    const started = await startDaemon(start(dir, program))

    expect(started).toEqual({ kind, message: 'taken: The directory is already serving.' })
  },
)

test('what a daemon of before there were words says is a failure with its sentence, whatever that is', async () => {
  await using dir = await createTempDir()
  await using program = await bundleProgram(`
    import { writeSync } from 'node:fs'
    writeSync(3, 'failed A daemon is already serving /run/agentd.sock.\\n')
  `)

  expect(await startDaemon(start(dir, program))).toEqual({
    kind: 'failed',
    message: 'A daemon is already serving /run/agentd.sock.',
  })
})

test.each([
  ['process.exit(7)', 'exit code 7'],
  [`process.kill(process.pid, 'SIGKILL')`, 'SIGKILL'],
  [`throw new Error('defect')`, 'exit code 1'],
  [`import { writeSync } from 'node:fs'; writeSync(3, 'hello\\n')`, 'said something unknown'],
])('one that ends by %s is told as failed, with its log', async (source, reason) => {
  await using dir = await createTempDir()
  await using program = await bundleProgram(source)

  const started = await startDaemon(start(dir, program))

  expect(started).toMatchObject({ kind: 'failed', message: expect.stringContaining(reason) })
  expect(started).toMatchObject({ message: expect.stringContaining(dir.file('log')) })
})

test('one that says nothing is waited for within the bound, and named by its pid', async () => {
  await using dir = await createTempDir()
  await using program = await bundleProgram('setInterval(() => {}, 60_000)')

  const started = await startDaemon(start(dir, program, { timeoutMs: 50 }))

  const pid = started.kind === 'failed' ? /pid (\d+)/.exec(started.message)?.[1] : undefined
  expect(started).toMatchObject({ message: expect.stringContaining('within 50 ms') })
  process.kill(Number(pid), 'SIGKILL')
})

test('a Node that is not there is a failed start, not a defect', async () => {
  await using dir = await createTempDir()
  await using program = await bundleProgram('')

  const started = await startDaemon(start(dir, program, { nodePath: dir.file('no-node') }))

  expect(started).toMatchObject({ kind: 'failed', message: expect.stringContaining('ENOENT') })
})

test.each(['000', '002', '022', '077'])('the log is 0600 under umask %s (R-01)', async (umask) => {
  await using dir = await createTempDir()
  await using starter = await bundleProgram(`
    import { startDaemon } from '#host/process/daemon-process.ts'
    process.umask(Number.parseInt(process.argv[3], 8))
    await startDaemon({ nodePath: '/nowhere', entry: '', env: {}, logPath: process.argv[2] })
  `)

  await promisify(execFile)(process.execPath, [starter.path, dir.file('log'), umask])

  expect(lstatSync(dir.file('log')).mode & 0o777).toBe(0o600)
})

test('a log is appended to up to 5 MiB, and set aside beyond', async () => {
  await using dir = await createTempDir()
  const nowhere = { path: '' }
  const fail = () => startDaemon({ ...start(dir, { ...dir, ...nowhere }), nodePath: '/nowhere' })
  writeFileSync(dir.file('log'), 'earlier', { mode: 0o600 })
  truncateSync(dir.file('log'), 5_242_880)

  await fail()
  expect(existsSync(dir.file('log.1'))).toBe(false)
  truncateSync(dir.file('log'), 5_242_881)
  await fail()

  expect(readFileSync(dir.file('log.1'), 'utf8').slice(0, 7)).toBe('earlier')
  expect(lstatSync(dir.file('log')).size).toBe(0)
})

test('a log that is a link or a directory is refused, and its target stays as it was (R-02)', async () => {
  await using dir = await createTempDir()
  writeFileSync(dir.file('target'), 'untouched')
  symlinkSync(dir.file('target'), dir.file('log'))
  mkdirSync(dir.file('directory'))
  await using program = await bundleProgram(READY)

  await expect(startDaemon(start(dir, program))).rejects.toThrow(HostRefusal)
  await expect(startDaemon(start(dir, program, { logPath: dir.file('directory') }))).rejects.toThrow(
    HostRefusal,
  )
  expect(readFileSync(dir.file('target'), 'utf8')).toBe('untouched')
})

test('announcing is harmless when nobody waits', () => {
  const unset = surroundings('/nowhere')
  const env = { AGENTD_READY_FD: '1', HOME: '/h' }

  announceReady(unset, { kind: 'ready' })
  announceReady(surroundings('/nowhere', { env }), { kind: 'ready' })

  expect(env).toEqual({ HOME: '/h' })
})

test('announcing is harmless when the variable came without its descriptor', async () => {
  await using program = await bundleProgram(`
    import { announceReady } from '#host/process/daemon-process.ts'
    import { readEnvironment } from '#host/config/paths.ts'
    announceReady(readEnvironment(), { kind: 'ready' })
    setImmediate(() => console.log('alive'))
  `)
  const env = { ...process.env, AGENTD_READY_FD: '3' }

  const { stdout } = await promisify(execFile)(process.execPath, [program.path], { env })

  expect(stdout).toBe('alive\n')
})
