/**
 * The real daemon, out of `dist` (or of `AGENTD_TORTURE_DIST`), in a directory of the run's own.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownProcess } from './cleanup.mjs'
import { request } from './http.mjs'

export const DIST =
  process.env.AGENTD_TORTURE_DIST === undefined
    ? fileURLToPath(new URL('../../../dist/', import.meta.url))
    : resolve(process.env.AGENTD_TORTURE_DIST)

const ENTRY = `${DIST}/daemon/main.js`
const READY_FD = 3

/** A start slower than this has failed, in milliseconds; a traced one takes a few seconds. */
const START_TIMEOUT_MS = 20_000

/** Rates off, so that a program measures the store and not the quota. */
const GENEROUS_LIMITS = { submissions_per_second: 1_000_000, submission_burst: 1_000_000 }

/** The daemon ended, or said nothing, instead of becoming ready. */
export class StartFailed extends Error {
  constructor(exit, stderr) {
    super(`the daemon was not ready (${JSON.stringify(exit)}): ${stderr.slice(-2_000)}`)
    this.exit = exit
    this.stderr = stderr
  }
}

/** The variables of a daemon in this directory, and of whoever calls it; made from nothing. */
export function variablesIn(dir) {
  return {
    PATH: process.env.PATH,
    HOME: dir.file('home'),
    XDG_RUNTIME_DIR: dir.file('run'),
    XDG_CONFIG_HOME: dir.file('config'),
    AGENTD_STATE_DIR: dir.file('state'),
    AGENTD_SOCKET: dir.file('a.sock'),
    AGENTD_CONFIG: dir.file('config', 'agentd.json'),
    AGENTD_PRINCIPAL: '~alice',
  }
}

/**
 * Starts a daemon and waits for its word.
 *
 * @param options.dir - of `createTempDir`; a second start in the same one takes over what the first left
 * @param options.config - its configuration file; `limits` are generous unless it says otherwise
 * @param options.env - further variables
 * @param options.command - words to put in front, such as `['strace', '-f', …]`; the process then is that
 *   command's, in a group of its own, and `daemonPid()` tells the daemon's
 * @param options.nodeArgs - for Node, in front of the program
 * @param options.fds - further stdio entries, from descriptor 4 on
 * @throws StartFailed
 */
export async function startDaemon({ dir, config = {}, env = {}, command = [], nodeArgs = [], fds = [] }) {
  if (!existsSync(ENTRY)) throw new Error(`${ENTRY} is missing; run "npm run build" first`)
  for (const name of ['home', 'config', 'run']) mkdirSync(dir.file(name), { recursive: true, mode: 0o700 })
  const variables = variablesIn(dir)
  const { limits = {}, ...rest } = config
  const text = JSON.stringify({ ...rest, limits: { ...GENEROUS_LIMITS, ...limits } })
  writeFileSync(variables.AGENTD_CONFIG, text, { mode: 0o600 })
  const [program, ...args] = [...command, process.execPath, ...nodeArgs, ENTRY]
  const startedMs = performance.now()
  const child = spawn(program, args, {
    cwd: dir.path,
    detached: command.length > 0,
    env: { ...variables, AGENTD_READY_FD: String(READY_FD), ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', ...fds],
  })
  child.isGroupLeader = command.length > 0
  ownProcess(child)
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    stderr = (stderr + chunk).slice(-200_000)
  })
  const exited = new Promise((done) => {
    child.once('error', (error) => done({ code: -1, signal: null, error: error.message }))
    child.once('close', (code, signal) => done({ code, signal }))
  })
  await readiness(child, exited, () => stderr)
  return {
    child,
    pid: child.pid,
    socket: dir.file('a.sock'),
    dir,
    /** From the spawn to the word `ready`, in milliseconds. */
    readyMs: performance.now() - startedMs,
    exited,
    stderr: () => stderr,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async daemonPid() {
      return (await request(dir.file('a.sock'), '/v1/health')).body.pid
    },
    /** Ends it and waits until it is gone. @returns `{code, signal}` */
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) {
        process.kill(child.isGroupLeader ? -child.pid : child.pid, signal)
      }
      return await exited
    },
  }
}

async function readiness(child, exited, stderr) {
  let said = ''
  const pipe = child.stdio[READY_FD]
  const ready = new Promise((done) => {
    pipe.setEncoding('utf8').on('data', (chunk) => {
      said += chunk
      if (said.startsWith('ready\n')) done(true)
    })
  })
  let timer
  const late = new Promise((done) => {
    timer = setTimeout(() => done({ code: null, signal: 'late' }), START_TIMEOUT_MS)
  })
  const outcome = await Promise.race([ready, exited, late])
  clearTimeout(timer)
  if (outcome === true) return
  if (outcome.signal === 'late') {
    process.kill(child.isGroupLeader ? -child.pid : child.pid, 'SIGKILL')
    await exited
  }
  throw new StartFailed(outcome, `${said} ${stderr()}`)
}

/** Open descriptors of a process. */
export function countDescriptors(pid) {
  return readdirSync(`/proc/${pid}/fd`).length
}
