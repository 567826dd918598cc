/**
 * How much of the ring one sender holds, and whom it would push out (HD-05).
 *
 * A full ring gives its oldest up for its newest, so whoever sends most decides what the others still find. Beyond its
 * share of a full ring a sender pushes out what is its own, or what has been there for long enough, and is refused
 * otherwise.
 *
 * What it knows of the ring are segments of the sequence: who sent how much in each. They go when the ring has given
 * them up, so that a frame costs the same however many are retained.
 */
import { AgentdError } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'
import type { BrokerLimits } from './limits.ts'
import type { Source } from './source.ts'

type ShareLimits = Pick<BrokerLimits, 'sharePercent' | 'protectMs' | 'limitRates'>

/** Segments that the ring's bound of frames is cut into. */
const SEGMENTS = 64

/** Senders that are told apart in one segment; who is not among them has sent little of it, or is counted in the next. */
export const MAX_COUNTED_SENDERS = 64

/** The part of its bounds at which a ring counts as full; what everybody else sends goes on until it is. */
const FULL = 0.9

/** What any sender may hold of the smallest ring, in frames and in characters. */
export const LEAST_SHARE_FRAMES = 1_000
export const LEAST_SHARE_CHARS = 1_048_576

/** What is to be known of the ring: where it begins and ends, and how full it is. */
export interface SharedRing {
  readonly firstSeq: number
  readonly lastSeq: number
  readonly count: number
  readonly bytes: number
}

/** Its bounds, as the configuration says at the moment. */
export interface RingBounds {
  readonly maxFrames: number
  readonly maxBytes: number
}

interface RingSharesParts {
  readonly limits: ShareLimits
  readonly clock: Clock
}

interface Amount {
  frames: number
  chars: number
}

interface Segment extends Amount {
  /** The last of its numbers; set when the next one begins. */
  lastSeq: number
  /** Monotonic time at which something was last added. */
  newestMs: number
  readonly bySender: Map<Source, Amount>
}

export class RingShares {
  readonly #ring: SharedRing
  readonly #limits: ShareLimits
  readonly #clock: Clock
  readonly #bySender = new Map<Source, Amount>()
  readonly #bounds: RingBounds
  /** All segments together. */
  readonly #all: Amount = { frames: 0, chars: 0 }
  /** What was counted since the ring ended at a number. */
  #turn = { afterSeq: 0, frames: 0, chars: 0 }
  #segments: Segment[] = []

  constructor(ring: SharedRing, bounds: RingBounds, { limits, clock }: RingSharesParts) {
    this.#ring = ring
    this.#limits = limits
    this.#clock = clock
    this.#bounds = bounds
    this.clear()
  }

  /**
   * Counts what is about to be retained.
   *
   * @param sender - as `sourceOf` names it
   * @throws AgentdError `rate-limited` with the time until what it would push out has been there for long enough
   */
  admit(sender: Source, chars: number): void {
    this.#forgetTrimmed()
    if (this.#limits.limitRates && this.#isFull && this.#isBeyondShare(sender)) this.#requireOwnFront(sender)
    this.#count(sender, chars)
  }

  /** What was retained has been forgotten out of its turn, or the sequence began anew: nobody holds anything. */
  clear(): void {
    const inherited = this.#inherited()
    this.#bySender.clear()
    this.#segments = [inherited]
    this.#all.frames = inherited.frames
    this.#all.chars = inherited.chars
  }

  /** What was there before anybody was told apart: everybody's, and as young as can be. */
  #inherited(): Segment {
    const { count, bytes, lastSeq } = this.#ring
    return {
      frames: count,
      chars: bytes,
      lastSeq,
      newestMs: this.#clock.monotonicMs(),
      bySender: new Map(),
    }
  }

  get #isFull(): boolean {
    const { count, bytes } = this.#ring
    const { frames, chars } = this.#coming
    return count + frames >= FULL * this.#bounds.maxFrames || bytes + chars >= FULL * this.#bounds.maxBytes
  }

  /** What was counted and is not in the ring: a turn's frames are in it at the end of the turn only. */
  get #coming(): Amount {
    const { lastSeq } = this.#ring
    if (this.#turn.afterSeq !== lastSeq) this.#turn = { afterSeq: lastSeq, frames: 0, chars: 0 }
    return this.#turn
  }

  #isBeyondShare(sender: Source): boolean {
    const held = this.#bySender.get(sender)
    if (held === undefined) return false
    const part = this.#limits.sharePercent / 100
    return (
      held.frames > Math.max(LEAST_SHARE_FRAMES, part * this.#all.frames) ||
      held.chars > Math.max(LEAST_SHARE_CHARS, part * this.#all.chars)
    )
  }

  #requireOwnFront(sender: Source): void {
    const [front] = this.#segments
    if (front === undefined || front.frames === (front.bySender.get(sender)?.frames ?? 0)) return
    const leftMs = front.newestMs + this.#limits.protectMs - this.#clock.monotonicMs()
    if (leftMs <= 0) return
    throw new AgentdError(
      'rate-limited',
      'The ring is full, more than your share of it is yours, and the next would push out what others sent a short while ago.',
      { retryAfterMs: Math.ceil(leftMs) },
    )
  }

  #count(sender: Source, chars: number): void {
    const segment = this.#open()
    segment.newestMs = this.#clock.monotonicMs()
    add(segment, 1, chars)
    add(this.#all, 1, chars)
    add(this.#coming, 1, chars)
    const { bySender } = segment
    if (bySender.size >= MAX_COUNTED_SENDERS && !bySender.has(sender)) return
    countOne(bySender, sender, chars)
    countOne(this.#bySender, sender, chars)
  }

  /** The segment that is being filled; another one when it is as long as one may be. */
  #open(): Segment {
    const { lastSeq } = this.#ring
    const last = this.#segments.at(-1)
    const most = Math.max(1, Math.floor(this.#bounds.maxFrames / SEGMENTS))
    if (last !== undefined && last.bySender.size > 0 && last.frames < most) {
      // What is accepted now is given its number at the end of the turn.
      last.lastSeq = lastSeq + 1
      return last
    }
    const next = {
      frames: 0,
      chars: 0,
      lastSeq: lastSeq + 1,
      newestMs: 0,
      bySender: new Map<Source, Amount>(),
    }
    this.#segments.push(next)
    return next
  }

  #forgetTrimmed(): void {
    const { firstSeq } = this.#ring
    while (this.#segments.length > 1 && (this.#segments[0]?.lastSeq ?? 0) < firstSeq) {
      const gone = this.#segments.shift()
      if (gone === undefined) return
      add(this.#all, -gone.frames, -gone.chars)
      for (const [sender, part] of gone.bySender) this.#release(sender, part)
    }
  }

  #release(sender: Source, part: Amount): void {
    const held = this.#bySender.get(sender)
    if (held === undefined) return
    add(held, -part.frames, -part.chars)
    if (held.frames <= 0) this.#bySender.delete(sender)
  }
}

function add(amount: Amount, frames: number, chars: number): void {
  amount.frames += frames
  amount.chars += chars
}

/** One item more of a sender: nearly always of one that is known, which is not written down again. */
function countOne(bySender: Map<Source, Amount>, sender: Source, chars: number): void {
  const known = bySender.get(sender)
  if (known === undefined) bySender.set(sender, { frames: 1, chars })
  else add(known, 1, chars)
}
