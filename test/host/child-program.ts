/**
 * Real processes that run our sources: Node 20 cannot read TypeScript, so each program is bundled first.
 */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'

const ROOT = new URL('../..', import.meta.url).pathname

/** A program on disk, ready for `node`. Use it with `await using`. */
export interface ChildProgram extends AsyncDisposable {
  readonly path: string
}

/** Bundles `source`, which imports `#host/…` and `#store/…`; inside the project, where packages resolve. */
export async function bundleProgram(source: string): Promise<ChildProgram> {
  const cache = join(ROOT, 'node_modules', '.cache')
  await mkdir(cache, { recursive: true })
  const directory = await mkdtemp(join(cache, 'agentd-test-'))
  const path = join(directory, 'program.mjs')
  await build({
    stdin: { contents: source, resolveDir: ROOT, loader: 'ts' },
    alias: { '#host': join(ROOT, 'src/host'), '#store': join(ROOT, 'src/store') },
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    outfile: path,
    logLevel: 'silent',
  })
  return { path, [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) }
}

/** A running program, killed with its scope. */
export interface RunningProgram extends AsyncDisposable {
  readonly pid: number
  /** The next line it prints, or undefined once it has ended. */
  nextLine(): Promise<string | undefined>
  /** Sends the signal, and waits for the end where the signal means one. */
  kill(signal: 'SIGKILL' | 'SIGSTOP'): Promise<void>
}

/** Starts the program; `fds` become its descriptors 3 and up. */
export function runProgram(
  program: ChildProgram,
  args: readonly string[] = [],
  fds: readonly number[] = [],
): RunningProgram {
  const child: ChildProcess = spawn(process.execPath, [program.path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', ...fds],
  })
  const { pid, stdout } = child
  if (pid === undefined || !stdout) throw new Error('the program did not start')
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  const ended = once(child, 'exit')
  const kill = async (signal: 'SIGKILL' | 'SIGSTOP') => {
    child.kill(signal)
    if (signal === 'SIGKILL') await ended
  }
  return {
    pid,
    async nextLine() {
      const { value, done } = await lines.next()
      return done ? undefined : value
    },
    kill,
    [Symbol.asyncDispose]: () => kill('SIGKILL'),
  }
}

/** Several of them at one instant, killed together. */
export interface RunningPrograms extends AsyncDisposable {
  /** The next line of each. */
  nextLines(): Promise<readonly (string | undefined)[]>
}

export function runPrograms(count: number, program: ChildProgram, args: readonly string[]): RunningPrograms {
  const programs = Array.from({ length: count }, () => runProgram(program, args))
  return {
    nextLines: () => Promise.all(programs.map((running) => running.nextLine())),
    async [Symbol.asyncDispose]() {
      await Promise.all(programs.map((running) => running.kill('SIGKILL')))
    },
  }
}
