/** What the desk of hooks is made from, and what it knows of a session. */
import type { Broker } from '../broker/broker.ts'
import type { Clock } from '../core/clock.ts'
import type { Debug } from '../core/debug.ts'
import type { Environment } from '../host/config/paths.ts'
import type { HookRecords } from './memory/hook-records.ts'
import type { FileSystem } from './places/places.ts'
import type { Rhythm } from './wake/rhythm.ts'

/** What a desk is made from. */
export interface HookDeskParts {
  readonly broker: Broker
  readonly clock: Clock
  readonly environment: Environment
  readonly records: HookRecords
  /** Beside it are the files of earlier versions. */
  readonly socketPath: string
  readonly debug: Debug | undefined
  /** What is asked where paths lead; this machine's unless said otherwise. */
  readonly files?: FileSystem | undefined
  /** How long waking takes; a value, so that a test need not wait for it. */
  readonly rhythm?: Rhythm | undefined
}

/** A session that hooks have registered. */
export interface HookedSession {
  readonly address: string
  readonly token: string
  /** Leases it holds, whatever way it took them, by `leaseKey`. */
  readonly leaseKeys: () => readonly string[]
}
