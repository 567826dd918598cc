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
