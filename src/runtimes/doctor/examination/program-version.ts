/**
 * Which version of a runtime this is: what its own program says, within a bound.
 */
import { spawn } from 'node:child_process'
import type { Environment } from '../../../host/config/paths.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { MAX_VERSION_CHARS, VERSION_MS } from '../bounds.ts'

/**
 * Runs `<program> --version`, with whatever it started ended at the bound.
 *
 * @returns the version in what it said, or else its first line; undefined when it said nothing in time
 */
export function programVersion(
  { env }: Environment,
  program: string,
  limitMs = VERSION_MS,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    // A group of its own: a wrapper script's child would otherwise hold the pipe open after its end.
    const child = spawn(program, ['--version'], {
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let said = ''
    const finish = (): void => {
      clearTimeout(timer)
      endGroup(child.pid)
      child.stdout.destroy()
      resolve(versionIn(said))
    }
    const timer = setTimeout(finish, limitMs)
    child.once('error', finish)
    // What it has left behind must not keep the pipe open; what it has said is still in there.
    child.once('exit', () => endGroup(child.pid))
    child.once('close', finish)
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
      if (said.length >= MAX_VERSION_CHARS) finish()
    })
  })
}

function versionIn(said: string): string | undefined {
  const first = safeLine(said.trimStart().split('\n')[0] ?? '').slice(0, MAX_VERSION_CHARS)
  const version = /\d{1,6}(?:\.\d{1,6}){1,3}(?:[-+][\w.+-]{1,40})?/.exec(first)?.[0]
  return version ?? (first === '' ? undefined : first)
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All of it has ended.
  }
}
