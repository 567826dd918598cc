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
    return this.#take(principal, engineMs, { perSecond: this.#perSecond(), burst: STRANGER_BURST })
  }

  /** As {@link take}, of a grant, whose minute is its burst. @param lane - all that is sent under it */
  takeUnder(lane: string, perMinute: number, engineMs: number): boolean {
    return this.#take(lane, engineMs, { perSecond: perMinute / 60, burst: perMinute })
  }

  #take(name: string, engineMs: number, { perSecond, burst }: Rate): boolean {
    const allowance = this.#allowances.get(name) ?? { tokens: burst, atMs: engineMs }
    const earned = (Math.max(0, engineMs - allowance.atMs) / 1_000) * perSecond
    const tokens = Math.min(burst, allowance.tokens + earned)
    const isTaken = tokens >= 1
    this.#allowances.set(name, {
      tokens: isTaken ? tokens - 1 : tokens,
      atMs: Math.max(engineMs, allowance.atMs),
    })
    return isTaken
  }
}
