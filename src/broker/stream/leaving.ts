/**
 * The end of all readers at once, when the daemon goes.
 */
import { RETRY_MS } from '../../core/limits.ts'
import type { Following } from './following.ts'

/** A shutdown spreads its readers' return over this much more than the usual delay (R-40a). */
const RETRY_SPREAD_MS = 2_000

/** Ends every one; they come back spread over a few seconds. */
export function sendHome(readers: Iterable<Following>): void {
  for (const reader of readers) {
    reader.bye('shutdown', RETRY_MS + Math.floor(Math.random() * RETRY_SPREAD_MS))
  }
}
