/**
 * Starting the daemon from a hook: in the background, and never waited for beyond a hook's own time.
 *
 * @see docs/http.md §11
 */
import { join } from 'node:path'
import { startDaemon } from '../../host/process/daemon-process.ts'
import { ensurePrivateDirectory, stateDir } from '../../host/config/paths.ts'
import { START_MS, TOTAL_MS, runningMs } from '../events/process-budget.ts'
import { daemonVariables } from '../../host/process/child-variables.ts'
import type { HookContext } from '../session/context.ts'

/** Left for registering once the daemon is there. */
const AFTERWARDS_MS = 150

/** @returns false when it may not be started, or did not say in time that it serves */
export async function startDaemonFor({ environment, programs, socketPath }: HookContext): Promise<boolean> {
  const timeoutMs = Math.min(START_MS, TOTAL_MS - AFTERWARDS_MS - runningMs())
  if (environment.env['AGENTD_NO_START'] || timeoutMs <= 0) return false
  ensurePrivateDirectory(stateDir(environment), environment)
  const started = await startDaemon({
    nodePath: process.execPath,
    entry: programs.daemon,
    args: [],
    env: { ...daemonVariables(environment), AGENTD_SOCKET: socketPath },
    logPath: join(stateDir(environment), 'agentd.log'),
    timeoutMs,
  })
  return started.kind === 'ready'
}
