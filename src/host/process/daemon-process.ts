/**
 * Starting the daemon in the background, and how it says that it is ready.
 *
 * The starter waits on a pipe, not on the socket: one line on descriptor 3, and its end if the daemon dies
 * before it could write one.
 *
 * @see docs/http.md §11; R-01, R-06
 */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { resolve as resolvePath } from 'node:path'
import type { Readable } from 'node:stream'
import { systemErrorCode } from '../../core/thrown.ts'
import { consumeVariable } from '../config/paths.ts'
import type { Environment } from '../config/paths.ts'
import { HostRefusal } from '../files/refusal.ts'
import { DAEMON_THREADS, THREADS_VARIABLE } from './threads.ts'

/** What the starter asks for. */
export interface DaemonStart {
  /** What it is called in sentences, where it is another process than the daemon. */
  readonly what?: string
  /** The absolute path of the Node to run it with, and of the program. */
  readonly nodePath: string
  readonly entry: string
  /** What the program is called with; nothing unless said. */
  readonly args?: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where its stderr goes; made 0600, in a directory that exists. */
  readonly logPath: string
  /** How long to wait for its word, in milliseconds. */
  readonly timeoutMs?: number
}

/**
 * What came of it; `message` is a sentence for the person. `taken`: another daemon has the place, though it may not
 * listen yet. `refused`: the place or the configuration must not be used as it is, and will not be at the next try either.
 * `failed`: there is none, whatever the reason.
 */
export type DaemonStarted =
  | { readonly kind: 'ready' }
  | { readonly kind: 'taken' | 'refused' | 'failed'; readonly message: string }

/** What a daemon says of itself: that it serves, or why it does not; `failed` may be over at the next try. */
export type Announcement = DaemonStarted

/** Opening a ring of full size takes about a second; ten leave room for a busy machine. */
const DEFAULT_TIMEOUT_MS = 10_000

/** The log is set aside at the next start when larger; one older generation is kept. */
const MAX_LOG_BYTES = 5_242_880

/** An announcement is a sentence; the bound protects the starter from a program that is no agentd. */
const MAX_ANNOUNCEMENT_CHARS = 4_096

const READY_VARIABLE = 'AGENTD_READY_FD'
const READY_FD = 3

/** Variables that hold paths: the daemon runs in `/`, where a relative one would mean another place. */
const PATH_VARIABLES = ['AGENTD_SOCKET', 'AGENTD_STATE_DIR', 'AGENTD_CONFIG', 'AGENTD_DEBUG']

/**
 * Starts the daemon detached from this process and its terminal, and waits for its word. Whatever comes of
 * it, nothing keeps this process alive afterwards. A daemon that is merely late is left to come up.
 *
 * @throws HostRefusal when the log path is not a plain file
 */
export async function startDaemon(start: DaemonStart): Promise<DaemonStarted> {
  const log = openLog(start.logPath)
  let child: ChildProcess
  try {
    child = spawn(start.nodePath, [start.entry, ...(start.args ?? [])], {
      cwd: '/',
      detached: true,
      env: {
        ...absolutePaths(start.env),
        [READY_VARIABLE]: String(READY_FD),
        [THREADS_VARIABLE]: String(DAEMON_THREADS),
      },
      stdio: ['ignore', 'ignore', log, 'pipe'],
    })
  } finally {
    closeSync(log)
  }
  const started = await firstWord(child, start)
  child.unref()
  return started
}

/**
 * The daemon's side: tells who started it, once, and closes the line. Harmless when nobody waits, be it that
 * no descriptor was given or that the starter has gone.
 */
export function announceReady(environment: Environment, announcement: Announcement): void {
  if (consumeVariable(environment, READY_VARIABLE) !== String(READY_FD)) return
  try {
    const found = fstatSync(READY_FD)
    // An inherited variable without its descriptor: 3 is then something of Node's own.
    if (!found.isSocket() && !found.isFIFO()) return
    writeSync(READY_FD, `${formatAnnouncement(announcement).replace(/\s+/g, ' ')}\n`)
    closeSync(READY_FD)
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'EPIPE') closeSync(READY_FD)
    else if (code !== 'EBADF') throw error
  }
}

/**
 * `ready`, or `failed`, a word of the closed set, a colon and the sentence. `failed` stays in front for starters of
 * before there were words: a program that runs on after an update starts the new daemon.
 */
function formatAnnouncement(announcement: Announcement): string {
  if (announcement.kind === 'ready') return 'ready'
  return `failed ${announcement.kind}: ${announcement.message}`
}

/** Opens the log for appending, after setting a large one aside. Never through a link (CVE-2019-12749). */
function openLog(path: string): number {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found && !found.isFile()) throw new HostRefusal(`The log ${path} is refused: it is no plain file.`)
  if (found && found.size > MAX_LOG_BYTES) renameSync(path, `${path}.1`)
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants
  const log = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
  fchmodSync(log, 0o600)
  return log
}

function absolutePaths(env: DaemonStart['env']): Record<string, string | undefined> {
  const absolute = { ...env }
  for (const name of PATH_VARIABLES) {
    const path = absolute[name]
    // `-` is stderr, not a file.
    if (path && path !== '-') absolute[name] = resolvePath(path)
  }
  return absolute
}

function firstWord(child: ChildProcess, start: DaemonStart): Promise<DaemonStarted> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, logPath, what = 'daemon' } = start
  return new Promise((resolve) => {
    const line = readyPipe(child)
    const settle = (started: DaemonStarted) => {
      clearTimeout(deadline)
      line?.destroy()
      resolve(started)
    }
    const fail = (message: string) => settle({ kind: 'failed', message })
    const deadline = setTimeout(() => {
      fail(`The ${what} (pid ${child.pid}) was not ready within ${timeoutMs} ms; see ${logPath}.`)
    }, timeoutMs)
    child.once('error', (error) => fail(`The ${what} could not be started: ${error.message}.`))
    // 'close', not 'exit': what it wrote before it ended may still be in the pipe.
    child.once('close', (code, signal) => {
      fail(`The ${what} ended before it was ready (${signal ?? `exit code ${code}`}); see ${logPath}.`)
    })
    let text = ''
    line?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(0, MAX_ANNOUNCEMENT_CHARS)
      if (text.includes('\n') || text.length === MAX_ANNOUNCEMENT_CHARS) settle(toStarted(text, start))
    })
  })
}

function readyPipe(child: ChildProcess): Readable | undefined {
  const pipe = child.stdio[READY_FD]
  return pipe && 'read' in pipe ? pipe : undefined
}

/** A daemon of before there were words says only `failed` and its sentence, which is a failure like any other. */
function toStarted(text: string, { logPath, what = 'daemon' }: DaemonStart): DaemonStarted {
  const [line = ''] = text.split('\n', 1)
  if (line === 'ready') return { kind: 'ready' }
  const { word, message } =
    /^failed (?:(?<word>taken|refused|failed): )?(?<message>.+)$/.exec(line)?.groups ?? {}
  if (message === undefined) {
    return { kind: 'failed', message: `The ${what} said something unknown; see ${logPath}.` }
  }
  return { kind: word === 'taken' || word === 'refused' ? word : 'failed', message }
}
