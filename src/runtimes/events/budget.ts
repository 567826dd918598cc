/**
 * Every bound of what a hook reads, says and remembers, with what it protects.
 */

/** Context shown at once when nobody says otherwise. Claude Code cuts at 10 000, Codex at 2 500 tokens. */
export const DEFAULT_CONTEXT_CHARS = 4_000

/** Less than this is no room for a digest. */
export const MIN_DIGEST_CHARS = 400

/** Wakes of one session in {@link WAKE_WINDOW_MS}; beyond it, what is urgent waits like the rest (PD-06). */
export const DEFAULT_WAKES = 3
export const WAKE_WINDOW_MS = 600_000

/** One file is announced once in this time, however often it is written (PD-06). */
export const COALESCE_MS = 60_000

/** A conflict that was shown is not shown again for this long. */
export const SHOWN_MS = 600_000

/** Files of one event that are announced, and looked up. */
export const MAX_EVENT_FILES = 16

/** Two hooks of one start or end come within this; two starts of one cause do not. */
export const START_REPEAT_MS = 2_000

/** As long as this an event with an id of its own is known to have been dealt with. */
export const REPEAT_MS = 600_000

/** How often a session in a turn is noted to be in it. */
export const NOTE_EVERY_MS = 30_000

/** Leases given back at the end of a session; each costs a request in the last second. */
export const MAX_RELEASES = 16

/** Sessions near one that are read at its start; beyond them the number is told. */
export const MAX_SIBLINGS = 32
