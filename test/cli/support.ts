/**
 * The command line as people run it: real processes, and where it matters a real terminal.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { endDaemon } from '../support/end-daemon.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { holdToSchema } from './held-to-schema.ts'
import { Changes, within } from '../support/within.ts'

/** The command. */
export const AGENTD = fileURLToPath(new URL('../../bin/agentd.cjs', import.meta.url))

/** The same words without the short way. */
const FULL = `import(${JSON.stringify(new URL('../../dist/cli/main.js', import.meta.url).href)}).then(({ main }) => main(process.argv.slice(1)))`

/** Variables of one user. */
export type Env = Readonly<Record<string, string>>

/** How a command ended, and what it said. */
export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A command that is still running. Use it with `await using`: it is killed with its scope. */
export interface Running extends AsyncDisposable {
  readonly pid: number
  stdout(): string
  stderr(): string
  /** What it has said on both streams. */
  untilSaid(pattern: RegExp): Promise<RegExpExecArray>
  /** To its stdin. */
  type(text: string): void
  endInput(): void
  signal(signal: NodeJS.Signals): void
  /** Its end. */
  readonly ended: Promise<Outcome>
}

/** The words of a command line without quotes. */
export function words(line: string): readonly string[] {
  return line.split(' ')
}

/** Runs a command to its end. */
export function agentd(env: Env, args: readonly string[], input = ''): Promise<Outcome> {
  return finish(start(env, [AGENTD, ...args]), args, input)
}

/** As {@link agentd}, never by the short way. */
export function fullAgentd(env: Env, args: readonly string[], input = ''): Promise<Outcome> {
  return finish(start(env, ['-e', FULL, '--', ...args]), args, input)
}

/** Starts a command that goes on until it is ended. */
export function startAgentd(env: Env, args: readonly string[]): Running {
  return start(env, [AGENTD, ...args])
}

/** Of util-linux: gives a command a terminal of its own. */
const TERMINAL = 'script'

/** Starts a command on a terminal of 80 columns; both streams arrive as one, with its line ends. */
export function startOnTerminal(env: Env, args: readonly string[]): Running {
  const words = [process.execPath, AGENTD, ...args].map(shellWord).join(' ')
  return startProgram(TERMINAL, ['-qec', `stty cols 80 rows 24; exec ${words}`, '/dev/null'], {
    TERM: 'xterm-256color',
    ...env,
  })
}

/** Somebody whose daemon is not running yet; what was started is stopped with the scope. */
export async function createUser(): Promise<AsyncDisposable & { readonly env: Env; readonly dir: TempDir }> {
  const dir = await createTempDir()
  for (const name of ['home', 'config']) mkdirSync(dir.file(name), { mode: 0o700 })
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: dir.file('home'),
    XDG_CONFIG_HOME: dir.file('config'),
    AGENTD_STATE_DIR: dir.file('state'),
    AGENTD_SOCKET: dir.file('agentd.sock'),
    AGENTD_PRINCIPAL: '~alice',
    TZ: 'UTC',
  }
  return {
    env,
    dir,
    async [Symbol.asyncDispose]() {
      await endDaemon(env.AGENTD_SOCKET)
      await dir[Symbol.asyncDispose]()
    },
  }
}

function start(env: Env, args: readonly string[]): Running {
  return startProgram(process.execPath, args, env)
}

function startProgram(command: string, args: readonly string[], env: Env): Running {
  const child = spawn(command, args, { env, stdio: 'pipe' })
  const changes = new Changes()
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      said[name] += chunk
      changes.tell()
    })
  }
  // A program that ends before it has read everything is what some tests are after.
  child.stdin.on('error', () => {})
  const ended = new Promise<Outcome>((resolve) => {
    child.once('close', (code) => {
      resolve({ code, ...said })
      changes.tell()
    })
  })
  const everything = (): string => said.stdout + said.stderr
  return {
    pid: child.pid ?? -1,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    untilSaid: (pattern) =>
      changes.until(() => lookFor(pattern, everything(), child), `${pattern} from ${args.join(' ')}`),
    type: (text) => void child.stdin.write(text),
    endInput: () => void child.stdin.end(),
    signal: (signal) => void child.kill(signal),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function lookFor(pattern: RegExp, text: string, child: ChildProcess): RegExpExecArray | undefined {
  const found = pattern.exec(text) ?? undefined
  if (found === undefined && child.exitCode !== null && child.stdout?.readableEnded === true) {
    throw new Error(`it ended with code ${child.exitCode} and never said ${pattern}:\n${text}`)
  }
  return found
}

/** What was said to a program is held to what is published. */
async function finish(running: Running, args: readonly string[], input: string): Promise<Outcome> {
  running.type(input)
  running.endInput()
  const outcome = await within(running.ended, `the end of pid ${running.pid}`, 15_000)
  holdToSchema(args, outcome)
  return outcome
}

function shellWord(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}
