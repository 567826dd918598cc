/**
 * A program of `examples/`, started as its first lines say, with what it has printed.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { TestDaemon } from '../support/daemon.ts'
import { Changes } from '../support/within.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** The path of a file of the examples. */
export function exampleAt(...names: readonly string[]): string {
  return join(ROOT, 'examples', ...names)
}

/** A program that runs. */
export interface Program extends AsyncDisposable {
  /** Waits until what it has printed so far matches; the match. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
  /** As Ctrl-C does. */
  interrupt(): void
  /** Its exit code. */
  readonly ended: Promise<number | null>
}

/** Starts a program that finds the daemon by its environment, and `agentd` on its path. */
export function startProgram(
  { env: own }: Pick<TestDaemon, 'env'>,
  command: string,
  args: readonly string[],
  cwd = ROOT,
): Program {
  const env = { ...own, PATH: `${join(ROOT, 'bin')}:${own['PATH'] ?? ''}` }
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(command, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const changes = new Changes()
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
      changes.tell()
    })
  }
  const ended = once(child, 'close').then(() => child.exitCode)
  return {
    printed: (pattern) =>
      changes.until(() => pattern.exec(text) ?? undefined, `${command} to print ${pattern}`),
    interrupt: () => void child.kill('SIGINT'),
    ended,
    [Symbol.asyncDispose]: async () => {
      // With what it has started: a pipe of a shell is several processes.
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
      await ended
    },
  }
}
