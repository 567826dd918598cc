/**
 * Waking an idle session of Codex through its own queue.
 *
 * @see docs/runtimes.md §2.3
 */
import { spawn } from 'node:child_process'
import { basename, isAbsolute } from 'node:path'
import { daemonVariables } from '../../host/process/child-variables.ts'
import type { WakeCall } from '../events/hook-runtime.ts'

/** Codex opens its store and its server first. */
const WAKE_MS = 20_000

/** Codex's own durable queue, by the very program that runs the hooks. */
export function wake({ environment, channels, sessionId, notice }: WakeCall): Promise<boolean> {
  const { codexPath: path, codexHome: home } = channels
  // The path comes from a file, if from one that only we can write.
  if (path === undefined || !isAbsolute(path) || !basename(path).startsWith('codex'))
    return Promise.resolve(false)
  if (sessionId.startsWith('-')) return Promise.resolve(false)
  return new Promise((resolve) => {
    const child = spawn(path, ['queue', '--thread', sessionId, '--message', notice, '--resume'], {
      stdio: 'ignore',
      timeout: WAKE_MS,
      env: { ...daemonVariables(environment), ...(home !== undefined && { CODEX_HOME: home }) },
    })
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
  })
}
