/**
 * How many descriptors this process may hold.
 */
import { readFileSync } from 'node:fs'

/** What a system without /proc gives a process by default. */
const ASSUMED_LIMIT = 256

/** The soft limit on open descriptors; Node has raised it to the hard one at its start. */
export function descriptorLimit(): number {
  try {
    const limit = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(limit ?? ASSUMED_LIMIT)
  } catch {
    return ASSUMED_LIMIT
  }
}

/** How the descriptors are shared out. */
export interface DescriptorShares {
  /** Connections that are served. */
  readonly connections: number
  /**
   * Connections that may arrive at once. Each takes a descriptor until it has been told that there is no room;
   * the kernel lets no more in between two turns of the loop, and says EAGAIN to the rest.
   */
  readonly arrivals: number
}

/** For the store, the log and the locks, whatever the clients do. */
const RESERVED = 64

/** One in so many is kept for arrivals: enough of a backlog for a storm, little of what could be served. */
const ARRIVAL_SHARE = 8

/** The longest backlog worth having: the usual `somaxconn`. */
const MAX_ARRIVALS = 4_096

/** What is let in even where the limit is smaller than what is kept back. */
const MIN_CONNECTIONS = 32
const MIN_ARRIVALS = 16

/** Shares out a limit, so that it is never met: at it the kernel would accept and close without a word. */
export function shareDescriptors(limit: number): DescriptorShares {
  const arrivals = Math.min(MAX_ARRIVALS, Math.max(MIN_ARRIVALS, Math.floor(limit / ARRIVAL_SHARE)))
  return { arrivals, connections: Math.max(MIN_CONNECTIONS, limit - RESERVED - arrivals) }
}
