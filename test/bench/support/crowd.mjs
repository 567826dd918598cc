/** Many idle subscriptions. */
import { openStream } from './agentd.mjs'
import { descriptorLimit } from './machine.mjs'
import { mapWithin } from './waiting.mjs'

/** Connections opened at once: less than any backlog. */
const OPENING = 64

/** Descriptors that neither side spends on the crowd; the daemon keeps an eighth back for arrivals. */
const RESERVED_SHARE = 1 / 6

/** Instruments the crowd is spread over. */
const INSTRUMENTS = 100

/** How many subscriptions a crowd can have here. */
export function crowdLimit() {
  return Math.floor(descriptorLimit() * (1 - RESERVED_SHARE))
}

/**
 * Opens idle streams of as many sessions.
 *
 * @returns the connections: as many as were asked for, or as the limit on descriptors allows
 */
export function openCrowd(daemon, count) {
  const allowed = Math.min(count, crowdLimit())
  return mapWithin(Array.from({ length: allowed }), OPENING, (_, i) =>
    openStream(daemon.socketPath, `?instrument=idle-${i % INSTRUMENTS}&session_id=s${i}`),
  )
}
