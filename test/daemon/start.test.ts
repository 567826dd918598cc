/**
 * A start that fails gives everything back: descriptors, watches, timers, and the lock last of all.
 */
import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { digestOf } from '../../src/broker/ring/digest.ts'
import type { Logger } from '../../src/core/log.ts'
import { Daemon } from '../../src/daemon/daemon.ts'
import { EvidenceFile } from '../../src/daemon/evidence-file.ts'
import type { DaemonParts } from '../../src/daemon/parts.ts'
import { openPersistence } from '../../src/daemon/persistence.ts'
import type { Ring } from '../../src/broker/ring/ring.ts'
import { resolveConfig } from '../../src/host/config/config.ts'
import { claimLockDatabase } from '../../src/store/file/lock-database.ts'
import { surroundings } from '../host/surroundings.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { DaemonDidNotStart, startTestDaemon } from '../support/daemon.ts'
import { post, request } from '../support/http.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { retained, requireDriver } from '../support/rings.ts'
import { within } from '../support/within.ts'
import { runsOnLinux } from '../support/needs.ts'
import { silentLog } from '../support/silent-log.ts'

const COMMAND = join(import.meta.dirname, '..', '..', 'bin', 'agentd.cjs')
const ENTRY = join(import.meta.dirname, '..', '..', 'dist', 'daemon', 'main.js')

/** A daemon that takes all it can: a store, both ledgers, a watched folder. */
interface Place {
  readonly dir: TempDir
  readonly clock: FakeClock
  readonly parts: DaemonParts
}

function placeIn(dir: TempDir, changes: Partial<DaemonParts> = {}): Place {
  const clock = new FakeClock(Date.now())
  mkdirSync(dir.file('schemas'), { recursive: true })
  writeFileSync(
    dir.file('agentd.json'),
    JSON.stringify({ aee: { volt: true, ward: true, schemas: [dir.file('schemas')] } }),
    { mode: 0o600 },
  )
  const environment = surroundings(dir.path, {
    env: {
      AGENTD_SOCKET: dir.file('s'),
      AGENTD_STATE_DIR: dir.file('state'),
      AGENTD_CONFIG: dir.file('agentd.json'),
    },
  })
  const config = resolveConfig(environment, {})
  const parts = {
    config,
    environment,
    clock,
    log: silentLog,
    debug: undefined,
    version: '0.0.0',
    onLost() {},
    onStop() {},
    ...changes,
  }
  return { dir, clock, parts }
}

/** What this process holds below a folder, by descriptor. */
function openBelow(dir: TempDir): string[] {
  const found = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      // The one that listed the others.
      return ''
    }
  })
  return found.filter((path) => path.startsWith(dir.path)).map((path) => path.slice(dir.path.length + 1))
}

/** Watches this process has on folders. */
function countWatches(): number {
  const notifiers = readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === 'anon_inode:inotify'
    } catch {
      return false
    }
  })
  const texts = notifiers.map((fd) => readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))
  return texts
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('inotify ')).length
}

/** A state with a session in it, whose lease runs from the next start on. */
async function leaveSession(dir: TempDir): Promise<void> {
  const { parts } = placeIn(dir)
  const daemon = await Daemon.start(parts)
  await post(daemon.socketPath, '/v1/sessions', { instrument: 'cc', mailbox: true })
  await daemon.stop()
}

/** Says no to one event; a log is the one port that every part has. */
function logThatFailsAt(refused: string): Logger {
  const say = (event: string): void => {
    if (event === refused) throw new Error(`no log for ${refused}`)
  }
  return { info: say, warn: say, error: say }
}

/** Writes a session whose digest is right and whose text is not: no daemon's writing, and no damage either. */
async function leaveRecord(dir: TempDir, record: string): Promise<void> {
  const driver = await requireDriver()
  const database = new driver(dir.file('state', 'ring.db'))
  database
    .prepare('INSERT INTO sessions (address, record, digest) VALUES (?, ?, ?)')
    .run('~zoe/cc', record, digestOf('~zoe/cc', record))
  database.close()
}

/** Puts a folder where a file should be. */
function blockWithFolder(path: string): void {
  rmSync(path)
  mkdirSync(path)
}

interface Stage {
  readonly why: string
  readonly spoil: (dir: TempDir) => void | Promise<void>
  readonly log?: Logger
}

/** In the order of a start: the later one fails, the more is held by then. */
const STAGES: readonly Stage[] = [
  {
    why: 'the instance lock is a folder',
    spoil: (dir) => blockWithFolder(dir.file('s.lock.db')),
  },
  {
    why: 'the store is a folder',
    spoil: (dir) => blockWithFolder(dir.file('state', 'ring.db')),
  },
  {
    why: 'the mark beside the store is a folder',
    spoil: (dir) => blockWithFolder(dir.file('state', 'ring.mark')),
  },
  {
    why: 'the past in the store cannot be read',
    spoil: (dir) => leaveRecord(dir, '{"facts":'),
  },
  {
    why: 'a folder of schemas is bad, and the log breaks over it',
    spoil: (dir) => writeFileSync(dir.file('schemas', 'ops.check.task.schema.json'), '{'),
    log: logThatFailsAt('envelope-policy'),
  },
  {
    why: 'the folder of keys is a link, and the log breaks over it',
    spoil: (dir) => {
      symlinkSync(dir.file('schemas'), dir.file('state', 'keys'))
      writeFileSync(dir.file('schemas', 'ops.check.task.schema.json'), '{')
    },
    log: logThatFailsAt('envelope-policy'),
  },
  {
    why: 'one session of the last daemon makes no sense, after others whose leases run',
    spoil: (dir) => leaveRecord(dir, '{}'),
  },
  {
    why: 'the path of the socket is a file',
    spoil: (dir) => writeFileSync(dir.file('s'), ''),
  },
]

afterEach(() => vi.restoreAllMocks())

test.runIf(runsOnLinux('/proc')).each(STAGES)(
  'nothing is held any more when $why (R-02, R-04)',
  async ({ spoil, log }) => {
    await using dir = await createTempDir()
    await leaveSession(dir)
    const watches = countWatches()
    await spoil(dir)
    const { parts, clock } = placeIn(dir, log && { log })

    await expect(Daemon.start(parts)).rejects.toThrow(Error)

    expect(openBelow(dir)).toEqual([])
    expect(clock.pendingTimers).toBe(0)
    expect(countWatches()).toBe(watches)
  },
)

test.runIf(runsOnLinux('/proc')).each(['what is there is not ours', 'it is a link'])(
  'evidence that cannot be kept, as %s, stops no daemon, is told, and is not left open (AEE-C14)',
  async (why) => {
    await using dir = await createTempDir()
    await leaveSession(dir)
    const path = dir.file('state', 'evidence', 'ward.ndjson')
    if (why === 'it is a link') {
      rmSync(path)
      symlinkSync(dir.file('elsewhere'), path)
    } else chmodSync(path, 0o666)

    const daemon = await Daemon.start(placeIn(dir).parts)
    const held = openBelow(dir)
    const { body } = await request(daemon.socketPath, '/v1/health')
    await daemon.stop()

    expect(held).toContain('state/evidence/volt.ndjson')
    expect(held).not.toContain('state/evidence/ward.ndjson')
    expect(body.details).toContainEqual(expect.stringContaining('Evidence is not recorded'))
    expect(openBelow(dir)).toEqual([])
  },
)

test.runIf(runsOnLinux('/proc'))('a ledger that cannot be begun leaves its file closed', async () => {
  await using dir = await createTempDir()
  const ledger = {
    begin: (): boolean => {
      throw new Error('no beginning')
    },
    handedOver: () => '',
    accepted: () => '',
    refused: () => '',
  }

  expect(() => new EvidenceFile(placeIn(dir).parts, 'volt', ledger)).toThrow('no beginning')
  expect(openBelow(dir)).toEqual([])
})

test.each(['a start that fails', 'a stop'])(
  'after %s the lock is given back last, when the store is closed already (R-04, R-25)',
  async (when) => {
    await using dir = await createTempDir()
    await leaveSession(dir)
    const driver = await requireDriver()
    const close = vi.spyOn(driver.prototype, 'close')

    if (when === 'a stop') await (await Daemon.start(placeIn(dir).parts)).stop()
    else {
      writeFileSync(dir.file('s'), '')
      await expect(Daemon.start(placeIn(dir).parts)).rejects.toThrow('is not a socket')
    }

    const closed = close.mock.contexts.map((each: unknown) => (each instanceof driver ? each.name : ''))
    expect(closed.filter((name: string) => name.startsWith(dir.path))).toEqual([
      dir.file('state', 'ring.db'),
      dir.file('s.lock.db'),
    ])
    const claim = await claimLockDatabase(dir.file('s.lock.db'))
    expect(claim.kind).toBe('claimed')
    if (claim.kind === 'claimed') await claim.lock.release()
  },
)

test('a place whose start failed serves as soon as what was in its way is gone', async () => {
  await using dir = await createTempDir()
  await leaveSession(dir)
  writeFileSync(dir.file('s'), '')
  await expect(Daemon.start(placeIn(dir).parts)).rejects.toThrow('is not a socket')
  rmSync(dir.file('s'))

  const daemon = await Daemon.start(placeIn(dir).parts)
  const { body } = await request(daemon.socketPath, '/v1/health')
  await daemon.stop()

  expect(body.sessions).toBe(1)
})

test('a daemon whose socket is in the way ends by itself, with 78 (R-02)', async () => {
  await using dir = await createTempDir()
  const config = { aee: { volt: true, schemas: [dir.path] } }
  await using first = await startTestDaemon({ dir, config })
  await post(first.socket, '/v1/sessions', { instrument: 'cc', mailbox: true })
  await first.stop()
  writeFileSync(first.socket, '')

  const second = startTestDaemon({ dir, config })

  await expect(second).rejects.toBeInstanceOf(DaemonDidNotStart)
  await expect(second).rejects.toMatchObject({ exit: { code: 78, signal: null } })
})

/** Runs `runDaemon` with something to say when it is ready that goes wrong. */
const BROKEN_VIEW = `
  const { runDaemon } = await import(process.env.ENTRY)
  await runDaemon({ flags: {}, onReady() { throw new Error('the view is broken') } }).catch((error) => {
    console.log(error.message)
    process.exitCode = 3
  })
`

test('a daemon whose view breaks gives its place back, and its process ends by itself', async () => {
  await using dir = await createTempDir()
  const env = {
    PATH: process.env['PATH'],
    HOME: dir.path,
    AGENTD_SOCKET: dir.file('s'),
    AGENTD_STATE_DIR: dir.file('state'),
    ENTRY,
  }
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', BROKEN_VIEW], { env })

  const ended = await within(
    run.catch((error: unknown) => error),
    'the process to end',
  )

  expect(ended).toMatchObject({ code: 3, stdout: 'the view is broken\n' })
  expect(existsSync(dir.file('s'))).toBe(false)
})

/** Runs a program under a limit of descriptors. @returns its exit code and what it said */
async function runUnderLimit(limit: number, dir: TempDir, words: readonly string[]) {
  const env = {
    PATH: process.env['PATH'],
    HOME: dir.path,
    AGENTD_SOCKET: dir.file('s'),
    AGENTD_STATE_DIR: dir.file('state'),
  }
  const script = `ulimit -n ${limit}; exec "$0" "$@"`
  const run = promisify(execFile)('sh', ['-c', script, process.execPath, ...words], { env })
  const ended = await within(
    run.catch((error: unknown) => error),
    'the process to end',
  )
  return z.object({ code: z.number(), stderr: z.string() }).parse(ended)
}

test.each(
  [24, 32, 48, 63].flatMap((limit) => [[limit, [ENTRY]] as const, [limit, [COMMAND, 'serve']] as const]),
)(
  'under %i descriptors %s ends with one sentence and 75, never with a stack (HD-17)',
  async (limit, words) => {
    await using dir = await createTempDir()

    const { code, stderr } = await runUnderLimit(limit, dir, words)

    expect(code).toBe(75)
    expect(stderr).toMatch(/^agentd: .*ulimit -n.*\n$/)
    expect(readdirSync(dir.path)).toEqual([])
  },
)

test.each([
  ['on disk', true],
  ['in memory', false],
])(
  'a wall clock eight days ahead for one frame empties no ring %s, nor at a start (HD-16)',
  async (_, isOnDisk) => {
    await using dir = await createTempDir()
    const { clock, parts: plain } = placeIn(dir)
    const parts = { ...plain, config: { ...plain.config, ring: { ...plain.config.ring, isOnDisk } } }
    const append = (ring: Ring): void => ring.append([retained({ acceptedAtMs: clock.nowMs() })])
    const first = await openPersistence(parts, parts.config.ring)
    for (let i = 0; i < 50; i += 1) append(first.ring)

    clock.stepWall(8 * 86_400_000)
    append(first.ring)
    const counts = [first.ring.count]
    clock.stepWall(-8 * 86_400_000)
    append(first.ring)
    counts.push(first.ring.count)
    first.close()
    clock.stepWall(8 * 86_400_000)
    const second = await openPersistence(parts, parts.config.ring)
    append(second.ring)
    counts.push(second.ring.count)
    second.close()

    expect(counts).toEqual([51, 52, isOnDisk ? 53 : 1])
  },
)
