/**
 * What the lane of another principal may bring here still, asked before a record is read and again when it is taken: whoever sends
 * too much is refused for the price of finding that out.
 *
 * @see FED-29, FED-63
 */
import type { Marks } from '../../broker/origins/origins.ts'
import type { LinkRules } from '../../host/config/config.ts'
import { filterOf, type LaneAt } from '../../link/realm.ts'
import { readEventId } from '../../protocol/address/event-id.ts'
import type { RecordsHead } from '../../protocol/http/link-exchange.ts'
import type { Realm } from '../../link/realm.ts'
import { STRANGER_PER_SECOND, StrangerRates } from './stranger-rates.ts'
import type { Speaker } from './voucher.ts'

/** Of one batch. What is known here already costs nothing. */
export interface Allowance {
  /** Whether a record at a place would be one too many. */
  isSpentAt(eventId: string): boolean
  /** @returns whether it is taken */
  takeAt(eventId: string): boolean
}

interface AllowancesParts {
  readonly realm: Realm
  /** The principal of a speaker, where that is another than one's own. */
  readonly strangerOf: (speaker: Speaker) => string | undefined
  /** Of all frames of a lane, where a grant bounds them. */
  readonly perMinuteOf: (lane: LaneAt) => number | undefined
  readonly marksOf: (realm: string) => Marks
  /** Asked each time, because they may be reloaded. */
  readonly accept: () => Pick<LinkRules['accept'], 'perSecond'>
}

export class Allowances {
  readonly #parts: AllowancesParts
  readonly #rates: StrangerRates

  constructor(parts: AllowancesParts) {
    this.#parts = parts
    this.#rates = new StrangerRates(() => parts.accept().perSecond ?? STRANGER_PER_SECOND)
  }

  /** Undefined for one's own, who waits instead. */
  of(
    speaker: Speaker,
    lane: LaneAt,
    { subject, engine_at_ms: engineAtMs }: Pick<RecordsHead, 'subject' | 'engine_at_ms'>,
  ): Allowance | undefined {
    const { marksOf, perMinuteOf, realm, strangerOf } = this.#parts
    const stranger = strangerOf(speaker)
    if (stranger === undefined) return undefined
    const rates = this.#rates
    const [under, perMinute] = [filterOf(realm, lane.audience), perMinuteOf(lane)]
    const marks = marksOf(realm).get(subject)
    const isKnown = (eventId: string): boolean => {
      const place = readEventId(eventId)
      return place !== undefined && place.seq <= (marks?.get(place.epoch) ?? 0)
    }
    return {
      isSpentAt: (eventId) =>
        !isKnown(eventId) &&
        (!rates.mayTake(stranger, engineAtMs) ||
          (perMinute !== undefined && !rates.mayTakeUnder(under, perMinute, engineAtMs))),
      takeAt: (eventId) => {
        if (isKnown(eventId)) return true
        const isUnder = perMinute === undefined || rates.takeUnder(under, perMinute, engineAtMs)
        return isUnder && rates.take(stranger, engineAtMs)
      },
    }
  }
}
