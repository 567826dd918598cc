/**
 * The real daemon: its own process, socket, home and configuration, gone with the test.
 *
 * Runs what is in `dist`; `npm test` builds it first.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { createTempDir, type TempDir } from './temp-dir.ts'
import { within } from './within.ts'

const ENTRY = fileURLToPath(new URL('../../dist/daemon/main.js', import.meta.url))

/** The descriptor the daemon announces itself on (`host/process/daemon-process.ts`). */
const READY_FD = 3

/** How a test daemon differs from one that was just installed. */
export interface TestDaemonOptions {
  /** Content of its configuration file; a string goes in as it is. */
  readonly config?: Readonly<Record<string, unknown>> | string
  readonly profile?: 'default' | 'conformance'
  /** Whose daemon it is; `~alice` unless said otherwise. */
  readonly principal?: string
  /** Where it lives; given to a second daemon, that one takes the first one's place. The giver removes it. */
  readonly dir?: TempDir
  /** Further variables, and with `undefined` fewer. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Arguments for Node, before the program. */
  readonly nodeArgs?: readonly string[]
  /** The program; that of this checkout unless said otherwise. */
  readonly entry?: string
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A daemon that serves. Use it with `await using`: it is ended, and its directory removed. */
export interface TestDaemon extends AsyncDisposable {
  readonly socket: string
  readonly principal: string
  readonly pid: number
  /** What a program of the same user would see: give it to a command that is to find this daemon. */
  readonly env: Readonly<Record<string, string>>
  readonly dir: TempDir
  /** Resolves when the process is gone. */
  readonly exited: Promise<Exit>
  /** What it has written to stderr so far. */
  stderr(): string
  /** Ends it, by SIGTERM unless said otherwise, and waits until it is gone. */
  stop(signal?: NodeJS.Signals): Promise<Exit>
}

/** A daemon that did not come up. */
export class DaemonDidNotStart extends Error {
  override readonly name = 'DaemonDidNotStart'
  readonly exit: Exit
  readonly stderr: string

  constructor(exit: Exit, stderr: string) {
    super(`the daemon ended with ${exit.signal ?? `code ${exit.code}`} before it was ready:\n${stderr}`)
    this.exit = exit
    this.stderr = stderr
  }
}

/**
 * Starts a daemon and waits for its word.
 *
 * @throws DaemonDidNotStart when it ended instead
 */
export async function startTestDaemon(options: TestDaemonOptions = {}): Promise<TestDaemon> {
  const { principal = '~alice' } = options
  const dir = options.dir ?? (await createTempDir())
  const env = environmentOf(dir, principal, options)
  const child = spawn(process.execPath, [...(options.nodeArgs ?? []), options.entry ?? ENTRY], {
    cwd: dir.path,
    env: { ...env, AGENTD_READY_FD: String(READY_FD) },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const stderr = collect(child.stderr)
  const exited = exitOf(child)
  const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit> => {
    child.kill(signal)
    return within(exited, `the daemon to end after ${signal}`)
  }
  const dispose = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) await stop('SIGKILL')
    if (options.dir === undefined) await dir[Symbol.asyncDispose]()
  }
  try {
    await within(readiness(child, exited, stderr), 'the daemon to be ready')
  } catch (error) {
    await dispose()
    throw error
  }
  return {
    socket: dir.file('agentd.sock'),
    principal,
    pid: child.pid ?? -1,
    env,
    dir,
    exited,
    stderr,
    stop,
    [Symbol.asyncDispose]: dispose,
  }
}

/** A user that nothing of this machine's can reach. */
function environmentOf(
  dir: TempDir,
  principal: string,
  { config, profile, env = {} }: TestDaemonOptions,
): Readonly<Record<string, string>> {
  for (const name of ['home', 'config', 'runtime']) {
    mkdirSync(dir.file(name), { mode: 0o700, recursive: true })
  }
  const configPath = dir.file('config', 'agentd.json')
  if (config !== undefined) {
    writeFileSync(configPath, typeof config === 'string' ? config : JSON.stringify(config), { mode: 0o600 })
  }
  const variables = {
    PATH: process.env['PATH'],
    TMPDIR: process.env['TMPDIR'],
    NODE_V8_COVERAGE: process.env['NODE_V8_COVERAGE'],
    HOME: dir.file('home'),
    XDG_CONFIG_HOME: dir.file('config'),
    XDG_STATE_HOME: dir.file('state-home'),
    XDG_RUNTIME_DIR: dir.file('runtime'),
    AGENTD_STATE_DIR: dir.file('state'),
    AGENTD_SOCKET: dir.file('agentd.sock'),
    AGENTD_PRINCIPAL: principal,
    AGENTD_CONFIG: config === undefined ? undefined : configPath,
    AGENTD_PROFILE: profile,
    ...env,
  }
  return Object.fromEntries(
    Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

function collect(stream: Readable | null): () => string {
  let text = ''
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  return () => text
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('error', () => resolve({ code: -1, signal: null }))
    // 'close', not 'exit': its last words may still be in the pipe.
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
}

async function readiness(child: ChildProcess, exited: Promise<Exit>, stderr: () => string): Promise<void> {
  const pipe = child.stdio[READY_FD]
  if (!(pipe instanceof Readable)) throw new TypeError('the ready pipe is missing')
  const said = collect(pipe)
  const ready = new Promise<void>((resolve) => {
    pipe.on('data', () => {
      if (said().startsWith('ready\n')) resolve()
    })
  })
  const ended = exited.then((exit) => {
    throw new DaemonDidNotStart(exit, stderr())
  })
  await Promise.race([ready, ended])
  // From here on its end is an event like any other, not a failed start.
  ended.catch(() => {})
}
