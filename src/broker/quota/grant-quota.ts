/**
 * How much may be sent under a grant: octets of one frame, and frames of all its senders together in a minute.
 *
 * @see FED-57
 */
import { AgentdError } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'
import { BoundedMap, type EvictionBound } from '../../core/collections/bounded.ts'
import { octetLength } from '../../core/text/octets.ts'
import { Buckets } from './buckets.ts'

/** The bounds of a grant, and what it is told from others by. */
export interface GrantBounds {
  readonly name: string
  /** The organisation whose members may send: `~acme` */
  readonly from: string
  readonly perMinute: number
  readonly maxOctets: number
}

/** Grants that are told apart; as many as there may be documents, times the grants of one. Beyond, the one used longest ago begins anew. */
export const REMEMBERED_GRANTS: EvictionBound = { most: 8_192, atOnce: 256 }

export class GrantQuota {
  readonly #clock: Clock
  readonly #buckets = new BoundedMap<string, Buckets>(REMEMBERED_GRANTS)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Charges a frame that is sent under a grant.
   *
   * @throws AgentdError `frame-too-large`, or `rate-limited` with the time until the next one fits
   */
  charge({ name, perMinute, maxOctets }: GrantBounds, text: string): void {
    if (octetLength(text) > maxOctets)
      throw new AgentdError('frame-too-large', `A frame under this grant is at most ${maxOctets} octets.`, {
        field: 'frame',
      })
    // Other bounds begin anew.
    const key = `${name} ${perMinute}`
    const buckets =
      this.#buckets.get(key) ?? new Buckets(this.#clock, { perSecond: perMinute / 60, burst: perMinute })
    this.#buckets.set(key, buckets)
    const retryAfterMs = buckets.take(this)
    if (retryAfterMs === 0) return
    const message = `This grant is for ${perMinute} frames a minute, of all senders together; wait and send again.`
    throw new AgentdError('rate-limited', message, { retryAfterMs })
  }
}
