/**
 * Starting the daemon in the background as this user's, for whoever needs one (docs/http.md §11).
 */
import { daemonLogPath, ensurePrivateDirectory, stateDir, type Environment } from '../../host/config/paths.ts'
import { daemonVariables } from '../../host/process/child-variables.ts'
import { startDaemon, type DaemonStarted } from '../../host/process/daemon-process.ts'

/** Which daemon, and how long its word is waited for. */
export interface OwnDaemon {
  readonly environment: Environment
  /** Its program, absolute. */
  readonly entry: string
  /** Further variables for it. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** In milliseconds; as long as `startDaemon` waits unless said otherwise. */
  readonly timeoutMs?: number
}

/** @throws HostRefusal when the place for its log is not safe */
export function startOwnDaemon({ environment, env, ...start }: OwnDaemon): Promise<DaemonStarted> {
  ensurePrivateDirectory(stateDir(environment), environment)
  return startDaemon({
    ...start,
    nodePath: process.execPath,
    env: { ...daemonVariables(environment), ...env },
    logPath: daemonLogPath(environment),
  })
}
