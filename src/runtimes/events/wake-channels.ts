/**
 * The ways to an idle session that a hook learns of, and what the session declares by them.
 *
 * @see docs/runtimes.md §§0, 1.6, 2.3, 5.3; the driver names are those of the roster
 */
import type { Environment } from '../../host/config/paths.ts'
import type { Forebear } from '../../host/process/ancestry.ts'
import type { HookEvent } from './event.ts'
import type { HookRuntime, WakeChannels } from './hook-runtime.ts'

/** How a session says it can be reached. */
export interface WakeDelivery {
  readonly busy: string
  readonly idle: string
  readonly headless: string
}

/** The driver of a hook that waits on behalf of its session, and wakes it with what it ends with. */
export const REWAKE = 'async-rewake'

/** What this event's surroundings tell; what they say nothing about is absent. */
export function findWakeChannels(
  { runtime, serverUrl }: Pick<HookEvent, 'runtime' | 'serverUrl'>,
  environment: Pick<Environment, 'env'>,
  forebear?: Forebear,
): WakeChannels {
  const found = Object.entries(runtime.wake?.find({ environment, serverUrl, forebear }) ?? {})
  return Object.fromEntries(found.filter(([, value]) => value !== undefined && value !== ''))
}

/**
 * `busy`: within a turn. `idle`: between two of them; `inbox` is read at the next one. `headless`: with nobody
 * at the keyboard.
 */
export function deliveryOf(runtime: HookRuntime, channels: WakeChannels, isRewaking = false): WakeDelivery {
  const { shows, atTurnEnd, headless } = runtime
  const wake = isRewaking ? REWAKE : wakeDriver(runtime, channels)
  return {
    busy: shows.includes('after-tool') ? 'hook' : atTurnEnd,
    idle: wake ?? 'inbox',
    headless: headless ?? wake ?? atTurnEnd,
  }
}

/** The driver that wakes a session of this runtime through these, if any does. */
export function wakeDriver({ wake }: HookRuntime, channels: WakeChannels): string | undefined {
  return wake === undefined || channels[wake.requires] === undefined ? undefined : wake.driver
}
