/**
 * Every bound of the pipe, with the thing it protects.
 */

/** How long things may take, in milliseconds; a value, so that tests need not wait. */
export interface PipeBounds {
  /** Until the daemon has begun to answer: one that is stopped takes connections and says nothing. */
  readonly headMs: number
  /** With calls under way, how often it is asked for a sign of life. */
  readonly beatMs: number
  /** With calls under way, or something to send that it does not take, how long it may be silent. */
  readonly silentMs: number
  /** How long one that has no room, or is on its way out, is asked again. */
  readonly busyMs: number
  /** How long it may take to answer what is under way when the host ends, and to say farewell. */
  readonly endMs: number
}

/** What a host is kept waiting at the most. */
export const PIPE_BOUNDS: PipeBounds = {
  headMs: 5_000,
  beatMs: 2_000,
  silentMs: 10_000,
  busyMs: 3_000,
  endMs: 2_000,
}

/** How long a daemon may take to come up, in milliseconds; its starter gives up sooner. */
export const START_MS = 15_000

/** Between two tries of a daemon that has no room, in milliseconds. */
export const BUSY_PAUSE_MS = 50

/** Requests a host may have under way; it has lost count of more. */
export const MAX_REQUESTS_IN_FLIGHT = 64

/** Octets of one request that is sent again to the daemon that comes next, and of a handshake that is remembered. */
export const MAX_REPEATED_OCTETS = 65_536

/** Octets of a line the daemon has the pipe keep; a longer one is not kept. */
export const MAX_KEPT_OCTETS = 65_536

/** Octets of a refusal that are read. */
export const MAX_REFUSAL_OCTETS = 65_536

/** Of what a starter says on its stderr, in characters. */
export const MAX_REASON_LENGTH = 4_096
