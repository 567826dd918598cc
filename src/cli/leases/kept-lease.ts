/**
 * A lease that is kept for as long as something runs: extended before it ends, asked for anew where an extension would not
 * count any more, and released in the end.
 *
 * Nobody waits for any of it: whoever runs under the lease goes on, daemon or not (AC-034).
 */
import type { Participant, VerbResult } from '../../client/index.ts'
import type { Clock, Timer } from '../../core/clock.ts'
import { messageOf } from '../../core/thrown.ts'
import { formatSpan } from '../../core/text/durations.ts'
import { MAX_LEASE_LIFE_MS } from '../../protocol/board/board.ts'

/** The shortest lease that is kept, in milliseconds: each half of it is a frame to everybody. */
export const MIN_KEPT_MS = 10_000

/** A lease is extended when so much of it is over. */
const BEAT_PART = 0.5

/** For one extension, and for the release, in milliseconds: a daemon that hangs holds up neither the end nor the next try. */
export const WORD_MS = 5_000

/** What is asked for. */
export interface KeptWish {
  readonly resource: string
  /** At least {@link MIN_KEPT_MS}. */
  readonly ttlMs: number
  /** Further arguments of the verb: what for, and whom it is told. */
  readonly more: Readonly<Record<string, unknown>>
}

/** What it is made from. */
export interface KeptParts {
  readonly participant: Participant
  readonly clock: Pick<Clock, 'nowMs' | 'after'>
  /** Told once of words that could not be sent, until one can be again; a sentence. */
  readonly onTrouble: (sentence: string) => void
}

/** The announcement that counts now, in wall time as the board reads it. */
interface Announced {
  readonly leaseId: string
  readonly sinceMs: number
  untilMs: number
}

export class KeptLease {
  readonly #wish: KeptWish
  readonly #parts: KeptParts
  #now: Announced
  #timer: Timer | undefined
  /** The word that is under way; the release comes behind it. */
  #beating: Promise<void> = Promise.resolve()
  #isTroubled = false
  #isOver = false

  private constructor(wish: KeptWish, parts: KeptParts, now: Announced) {
    this.#wish = wish
    this.#parts = parts
    this.#now = now
    this.#rest()
  }

  /** Announces it. @throws whatever the daemon refuses it with, or AgentdUnreachable */
  static async announce(
    wish: KeptWish,
    parts: KeptParts,
  ): Promise<{ readonly lease: KeptLease; readonly sent: VerbResult }> {
    const { now, sent } = await request(wish, parts)
    return { lease: new KeptLease(wish, parts, now), sent }
  }

  get leaseId(): string {
    return this.#now.leaseId
  }

  /** Says that it is over. What cannot be said is told, and no error: the lease ends by itself. */
  async release(): Promise<void> {
    this.#isOver = true
    this.#timer?.cancel()
    await this.#beating
    const { untilMs, leaseId } = this.#now
    try {
      await this.#unlock(leaseId)
    } catch (error) {
      const { clock, onTrouble } = this.#parts
      const leftMs = untilMs - clock.nowMs()
      const then = leftMs <= 0 ? 'it has ended by itself' : `it ends by itself in ${formatSpan(leftMs)}`
      onTrouble(`That the lease is over could not be said, ${then}: ${whyOf(error)}`)
    }
  }

  #rest(): void {
    const { clock } = this.#parts
    this.#timer = clock.after(this.#wish.ttlMs * BEAT_PART, () => {
      this.#beating = this.#beat()
    })
  }

  async #beat(): Promise<void> {
    await this.#tryToProlong()
    if (!this.#isOver) this.#rest()
  }

  async #tryToProlong(): Promise<void> {
    try {
      await this.#prolong()
      this.#isTroubled = false
    } catch (error) {
      if (this.#isTroubled) return
      this.#isTroubled = true
      this.#parts.onTrouble(`The lease could not be extended; it is tried again: ${whyOf(error)}`)
    }
  }

  /** An extension counts while the lease lives, and within the life that the board gives one (HD-08). */
  async #prolong(): Promise<void> {
    const { participant, clock } = this.#parts
    const { ttlMs } = this.#wish
    const former = this.#now
    const wantedMs = clock.nowMs() + ttlMs
    const lives = clock.nowMs() < former.untilMs
    if (lives && wantedMs <= former.sinceMs + MAX_LEASE_LIFE_MS) {
      const gainMs = Math.ceil(wantedMs - former.untilMs)
      // A clock that was put back: it lasts longer already.
      if (gainMs < 1) return
      await participant.extendLease(former.leaseId, gainMs, { ...this.#whom, signal: inTime() })
      former.untilMs += gainMs
      return
    }
    this.#now = (await request(this.#wish, this.#parts)).now
    if (lives) await this.#unlock(former.leaseId)
  }

  async #unlock(leaseId: string): Promise<void> {
    const { resource } = this.#wish
    await this.#parts.participant.unlock(leaseId, { ...this.#whom, resource, signal: inTime() })
  }

  /** Who was told of the lease is told of what becomes of it. */
  get #whom() {
    const scope = this.#wish.more['recipient_scope']
    return typeof scope === 'string' ? { scope } : {}
  }
}

async function request(
  { resource, ttlMs, more }: KeptWish,
  { participant, clock }: KeptParts,
): Promise<{ readonly now: Announced; readonly sent: VerbResult }> {
  const args = { ...more, resource, ttl_ms: ttlMs }
  const sent = await participant.verb('agent_lock_acquire', args, { signal: inTime() })
  const sinceMs = clock.nowMs()
  return { now: { leaseId: sent.leaseId ?? '', sinceMs, untilMs: sinceMs + ttlMs }, sent }
}

function inTime(): AbortSignal {
  return AbortSignal.timeout(WORD_MS)
}

function whyOf(error: unknown): string {
  const isLate = error instanceof DOMException && error.name === 'TimeoutError'
  return isLate ? `agentd has said nothing for ${WORD_MS / 1_000} seconds.` : messageOf(error)
}
