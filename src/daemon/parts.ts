import type { Clock } from '../core/clock.ts'
import type { Debug } from '../core/debug.ts'
import type { Logger } from '../core/log.ts'
import type { Config } from '../host/config/config.ts'
import type { Environment } from '../host/config/paths.ts'

/** What a daemon is built from. All of it is required, so that nothing is found by accident. */
export interface DaemonParts {
  readonly config: Config
  readonly environment: Environment
  readonly clock: Clock
  readonly log: Logger
  /** Where `AGENTD_DEBUG` says; undefined where nobody looks. */
  readonly debug: Debug | undefined
  readonly version: string
  /** Told once, with a sentence, when the daemon has lost its socket or its lock and has to go. */
  readonly onLost: (why: string) => void
  /** Told when somebody who may has asked the daemon to end (`POST /v1/stop`). */
  readonly onStop: () => void
}
