/** Installed without better-sqlite3, on a Node whose own SQLite will not do: it works, and says what it does not keep. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { nodeSqlite } from '../../../src/store/driver/node-sqlite.ts'
import { isSo } from '../../support/needs.ts'
import { DIST } from '../../support/start-graph.ts'
import type { TempDir } from '../../support/temp-dir.ts'
import { createUser, type Env } from '../support.ts'

const ROOT = join(DIST, '..')

const HAS_NONE = isSo(!hasOwn(), 'this Node keeps messages with its own SQLite')

/** What every one of them says, with why. */
const SENTENCE =
  /^Frames are kept in memory only: better-sqlite3 is not installed, and .+\. Install agentd with its optional packages, or run it with a current Node 22 or newer\.\n$/

function hasOwn(): boolean {
  try {
    nodeSqlite()
    return true
  } catch {
    return false
  }
}

/** A copy of what is installed, without what has to be compiled. @returns runs its command */
function installWithoutNatives(dir: TempDir) {
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(join(ROOT, name), dir.file(name), { recursive: true })
  mkdirSync(dir.file('node_modules'))
  const packages = readdirSync(join(ROOT, 'node_modules')).filter(
    (name) => !/^\.|^(better-sqlite3|koffi)$/.test(name),
  )
  for (const name of packages) symlinkSync(join(ROOT, 'node_modules', name), dir.file('node_modules', name))
  const entry = dir.file('bin', 'agentd.cjs')
  return (env: Env, ...words: readonly string[]) =>
    promisify(execFile)(process.execPath, [entry, ...words], { env })
}

test.runIf(HAS_NONE)(
  'without any SQLite whoever starts the daemon is told once, and the log, status and doctor say it too (R-26)',
  async () => {
    await using user = await createUser()
    const run = installWithoutNatives(user.dir)

    const first = await run(user.env, 'roster')
    const second = await run(user.env, 'roster')
    const status = await run(user.env, 'status')
    const doctor = await run(user.env, 'doctor').catch((error: unknown) => error)
    await run(user.env, 'stop')
    const started = await run(user.env, 'start')
    const log = readFileSync(user.dir.file('state', 'agentd.log'), 'utf8')

    expect([first.stderr, started.stderr]).toEqual([expect.stringMatching(SENTENCE), first.stderr])
    expect(second.stderr).toBe('')
    expect(status.stdout).toContain(first.stderr)
    expect(doctor).toMatchObject({ stdout: expect.stringContaining(first.stderr) })
    expect(log).toContain('"event":"memory-only","why":"better-sqlite3 is not installed')
  },
)

test.runIf(HAS_NONE)(
  'the lock without SQLite is taken over from a killed daemon at once (R-26)',
  async () => {
    await using user = await createUser()
    const run = installWithoutNatives(user.dir)
    const first: unknown = JSON.parse((await run(user.env, 'start', '--json')).stdout)
    const pid = Number(Reflect.get(Object(first), 'pid'))
    process.kill(pid, 'SIGKILL')

    const second: unknown = JSON.parse((await run(user.env, 'start', '--json')).stdout)

    expect(second).toMatchObject({ started: true })
    expect(second).not.toMatchObject({ pid })
  },
)
