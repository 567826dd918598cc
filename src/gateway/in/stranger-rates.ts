/**
 * How much is taken of each other principal: by the engine's time, so that what it sent at a fair pace while nobody read is
 * taken however fast it comes now.
 *
 * @see FED-63
 */
import { BoundedMap } from '../../core/collections/bounded.ts'

/** Records that one may send in a steady second, and at once. */
export const STRANGER_PER_SECOND = 50
export const STRANGER_BURST = 500

/** Principals with a rate of their own; a charter names fewer. */
const MAX_RATED = { most: 1_024, atOnce: 64 }

interface Rate {
  readonly perSecond: number
  readonly burst: number
}

interface Allowance {
  tokens: number
  atMs: number
}

export class StrangerRates {
  readonly #perSecond: () => number
  readonly #allowances = new BoundedMap<string, Allowance>(MAX_RATED)

  /** @param perSecond - asked each time, because it may be reloaded */
  constructor(perSecond: () => number) {
    this.#perSecond = perSecond
  }

  /**
   * @param engineMs - when the engine took it
   * @returns whether one record more of a principal is taken
   */
  take(principal: string, engineMs: number): boolean {
    return this.#take(principal, engineMs, this.#steady)
  }

  /** Whether {@link take} would, which it is not spent by. */
  mayTake(principal: string, engineMs: number): boolean {
    return this.#tokensOf(principal, engineMs, this.#steady) >= 1
  }

  /** As {@link take}, of a grant, whose minute is its burst. @param lane - all that is sent under it */
  takeUnder(lane: string, perMinute: number, engineMs: number): boolean {
    return this.#take(lane, engineMs, underGrant(perMinute))
  }

  /** As {@link mayTake}, of a grant. */
  mayTakeUnder(lane: string, perMinute: number, engineMs: number): boolean {
    return this.#tokensOf(lane, engineMs, underGrant(perMinute)) >= 1
  }

  get #steady(): Rate {
    return { perSecond: this.#perSecond(), burst: STRANGER_BURST }
  }

  #take(name: string, engineMs: number, rate: Rate): boolean {
    const tokens = this.#tokensOf(name, engineMs, rate)
    const isTaken = tokens >= 1
    this.#allowances.set(name, {
      tokens: isTaken ? tokens - 1 : tokens,
      atMs: Math.max(engineMs, this.#allowances.get(name)?.atMs ?? engineMs),
    })
    return isTaken
  }

  #tokensOf(name: string, engineMs: number, { perSecond, burst }: Rate): number {
    const known = this.#allowances.get(name)
    if (known === undefined) return burst
    const earned = (Math.max(0, engineMs - known.atMs) / 1_000) * perSecond
    return Math.min(burst, known.tokens + earned)
  }
}

/** All that is sent in a minute may be sent at once. */
function underGrant(perMinute: number): Rate {
  return { perSecond: perMinute / 60, burst: perMinute }
}
