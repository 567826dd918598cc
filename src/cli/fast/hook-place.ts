import type { Environment } from '../../host/config/paths.ts'

/** Where a hook runs, and for which runtime it was set up. */
export interface HookPlace {
  readonly environment: Environment
  readonly runtime: string
  readonly socketPath: string
}
