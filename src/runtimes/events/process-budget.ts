/**
 * What the process of a hook may take: the first thing it looks at.
 */

/** Connecting; a daemon that lives accepts in less than one. */
export const CONNECT_MS = 150

/** A whole hook, from the start of the process: whatever it was doing, it ends. A tenth is left for ending. */
export const TOTAL_MS = 900

/** How long a start of the daemon is waited for, within {@link TOTAL_MS}. It goes on coming up by itself. */
export const START_MS = 600

/** A payload; runtimes send whole files with their edits, and beyond this they say nothing we need. */
export const MAX_STDIN_BYTES = 1_048_576

/**
 * How long this process has been running, in milliseconds; never goes back. The first use of `performance` loads
 * seven modules.
 */
export function runningMs(): number {
  return process.uptime() * 1_000
}
