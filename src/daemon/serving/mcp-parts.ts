/**
 * What serving tools needs of the daemon.
 */
import type { Clock } from '../../core/clock.ts'
import type { Logger } from '../../core/log.ts'
import type { HookDeskLoader } from './hook-desk.ts'
import type { InnerConnections } from './inner-connections.ts'

/** What the connections are made from. */
export interface McpConnectionsParts {
  readonly socketPath: string
  readonly clock: Clock
  readonly log: Logger
  readonly version: string
  readonly inner: InnerConnections
  /** Who knows the sessions that hooks have registered. */
  readonly hooks: Pick<HookDeskLoader, 'get'>
  /** What stands for a token, where one is mandatory. */
  readonly personKey: string | undefined
  /** Connections of any sort that are admitted at once. */
  readonly admitted: number
}
