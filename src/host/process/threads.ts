/**
 * The threads on which Node asks file systems: one that hangs holds a thread for as long as it hangs, and so the daemon is
 * started with more of them than Node has by itself (OP-10).
 */
import type { Environment } from '../config/paths.ts'

/** Read by Node at its start, and never again. */
export const THREADS_VARIABLE = 'UV_THREADPOOL_SIZE'

/** As many as the daemon is started with. */
export const DAEMON_THREADS = 16

/** What Node has where nobody says otherwise, and at most. */
const NODE_THREADS = 4
const MAX_THREADS = 1_024

/** How many there are in this process. */
export function poolThreads({ env }: Pick<Environment, 'env'>): number {
  const said = env[THREADS_VARIABLE]
  if (said === undefined) return NODE_THREADS
  const threads = Number.parseInt(said, 10)
  return Number.isNaN(threads) ? 1 : Math.min(MAX_THREADS, Math.max(1, threads))
}
