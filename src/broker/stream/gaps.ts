/**
 * What a reader is told is missing, and in front of what.
 *
 * @see docs/http.md §6, R-16; FED-28
 */
import { formatEventId } from '../../protocol/address/event-id.ts'
import type { Gap } from '../../protocol/sse/encoder.ts'
import type { Hole, Origins } from '../origins/origins.ts'
import type { Ring } from '../ring/ring.ts'

/** What gaps are named by. */
type Places = Pick<Ring, 'firstSeq' | 'oldestEventId' | 'eventId'>

/** The ring has passed a cursor; undefined when it has not. */
export function passedGap(
  ring: Places,
  cursor: number,
  reason: 'trimmed' | 'overflow',
): (Gap & { readonly missed: number }) | undefined {
  const missed = ring.firstSeq - cursor - 1
  if (missed <= 0) return undefined
  return { reason, requested: ring.eventId(cursor), oldest: ring.oldestEventId, missed }
}

/** The sequence began anew: what lay between is gone. */
export function restartGap(
  ring: Places,
  reason: 'corrupt',
  previous: { readonly epoch: string; readonly seq: number },
): Gap {
  const requested = formatEventId(previous.epoch, previous.seq)
  return { reason, requested, oldest: ring.oldestEventId, missed: null }
}

/** A part of what another node sent that never came. */
export function holeGap(ring: Places, { afterSeq, node, from, to }: Hole): Gap {
  const requested = ring.eventId(afterSeq)
  return { reason: 'remote', requested, oldest: ring.oldestEventId, missed: null, node, from, to }
}

/** The holes that lie before a reader, each to be told once: before anything behind the place where it was found. */
export class HolesAhead {
  readonly #origins: Pick<Origins, 'holesFrom' | 'nextHole'>
  /** The number of the next one. */
  #next: number

  constructor(origins: Pick<Origins, 'holesFrom' | 'nextHole'>) {
    this.#origins = origins
    this.#next = origins.nextHole
  }

  /** Whoever begins behind a place is told of those at that place and behind it. */
  beginAt(afterSeq: number): void {
    this.#next =
      this.#origins.holesFrom(0).find((hole) => hole.afterSeq >= afterSeq)?.n ?? this.#origins.nextHole
  }

  /** None of those there are lies ahead. */
  skip(): void {
    this.#next = this.#origins.nextHole
  }

  /** Those up to a place, which are told with this. */
  takeUpTo(seq: number): readonly Hole[] {
    if (this.#next === this.#origins.nextHole) return []
    const found = this.#origins.holesFrom(this.#next).filter(({ afterSeq }) => afterSeq <= seq)
    const last = found.at(-1)
    if (last !== undefined) this.#next = last.n + 1
    return found
  }

  /** Up to which place one may read before the next is told. */
  get readableUpTo(): number {
    if (this.#next === this.#origins.nextHole) return Infinity
    return this.#origins.holesFrom(this.#next)[0]?.afterSeq ?? Infinity
  }
}
