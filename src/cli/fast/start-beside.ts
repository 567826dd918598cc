/** Starting the daemon from a short way that does not wait for it beyond its own time (docs/http.md §11). */
import { join } from 'node:path'
import { ensurePrivateDirectory, stateDir, type Environment } from '../../host/config/paths.ts'
import { daemonVariables } from '../../host/process/child-variables.ts'
import { startDaemon } from '../../host/process/daemon-process.ts'

/** Which daemon, and how long its word is waited for. */
export interface StartBeside {
  readonly environment: Environment
  readonly socketPath: string
  readonly entry: string
  readonly timeoutMs: number
}

/** @returns false when it did not say in time that it serves */
export async function startBeside({
  environment,
  socketPath,
  entry,
  timeoutMs,
}: StartBeside): Promise<boolean> {
  ensurePrivateDirectory(stateDir(environment), environment)
  const started = await startDaemon({
    nodePath: process.execPath,
    entry,
    args: [],
    env: { ...daemonVariables(environment), AGENTD_SOCKET: socketPath },
    logPath: join(stateDir(environment), 'agentd.log'),
    timeoutMs,
  })
  return started.kind === 'ready'
}
