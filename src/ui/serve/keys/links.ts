/**
 * The keys in links: each opens the page once, soon, and never again.
 *
 * A link is seen by more than the person it is for: a terminal's scrollback, a browser's history. So what is in it is
 * worth nothing once it was used, or two minutes later. Only digests are kept.
 *
 * @see SEAT-15; docs/ui.md "What the listener allows"
 */
import { createHash } from 'node:crypto'
import type { Clock } from '../../../core/clock.ts'
import { BoundedMap } from '../../../core/collections/bounded.ts'
import { newToken } from '../../../core/ids.ts'

/** How long a link is good, in milliseconds. */
export const LINK_MS = 120_000

/** Links remembered, the used ones among them, so that a second use can be told from a guess. */
export const MAX_LINKS = 64

/** What became of a key that was shown; times are wall time in milliseconds since 1970. */
export type Redeemed =
  | { readonly kind: 'good' }
  | { readonly kind: 'used'; readonly atMs: number }
  | { readonly kind: 'late' }
  | { readonly kind: 'unknown' }

interface Link {
  readonly madeMs: number
  /** Undefined until it is used. */
  usedAtMs: number | undefined
  readonly onUsed: () => void
}

export class Links {
  readonly #clock: Clock
  readonly #links = new BoundedMap<string, Link>({ most: MAX_LINKS, atOnce: 0 })

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A new key: 256 bits, base64url. @param onUsed - called when it is used up */
  make(onUsed: () => void = () => {}): string {
    const key = newToken()
    this.#links.set(digestOf(key), { madeMs: this.#clock.monotonicMs(), usedAtMs: undefined, onUsed })
    return key
  }

  /** Uses a key up. Looked up by its digest, so that one that is almost right tells nothing. */
  redeem(key: string): Redeemed {
    const link = this.#links.get(digestOf(key))
    if (link === undefined) return { kind: 'unknown' }
    if (link.usedAtMs !== undefined) return { kind: 'used', atMs: link.usedAtMs }
    if (this.#clock.monotonicMs() - link.madeMs > LINK_MS) return { kind: 'late' }
    link.usedAtMs = this.#clock.nowMs()
    link.onUsed()
    return { kind: 'good' }
  }
}

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64')
}
