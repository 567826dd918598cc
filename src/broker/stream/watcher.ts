/**
 * One watch: everything that passes, and what becomes of sessions, needs and receipts meanwhile. It is no recipient, and
 * stands on no roster.
 *
 * @see docs/http.md §6; W-1, SEAT-06
 */
import { encodePassedEvent } from '../../protocol/sse/encoder.ts'
import type { Retained } from '../ring/retained.ts'
import type { Beginning } from './beginning.ts'
import { Following } from './following.ts'
import type { FollowingParts } from './following-parts.ts'
import { describePassed } from './passed.ts'

/**
 * What may wait that is not of the sequence, in octets: nothing of it can be read again from the ring. A reader that lets
 * more of it wait is cut, comes back, and is told anew how everything is.
 */
export const MAX_ASIDE_OCTETS = 1_048_576

/** What a watch is built from. */
export interface WatcherParts extends FollowingParts {
  /** The session that watches; undefined for the principal itself. */
  readonly address: string | undefined
  /** Called once, when it is over for whatever reason. */
  readonly onGone: (watcher: Watcher) => void
}

export class Watcher extends Following {
  readonly #address: string | undefined
  readonly #onGone: WatcherParts['onGone']
  /** What is not of the sequence and waits for the reader; shared with every other watch. */
  #aside: Buffer[] = []
  #asideOctets = 0

  constructor(parts: WatcherParts, beginning: Beginning) {
    super(parts, beginning, undefined)
    this.#address = parts.address
    this.#onGone = parts.onGone
  }

  /** Whether it is told what becomes of something: that its own session or the principal sent. */
  isSenderOf({ senderAddress }: Retained): boolean {
    return senderAddress === undefined || senderAddress === this.#address
  }

  /** Says something that is not of the sequence, once the reader takes something. */
  tell(event: Buffer): void {
    if (!this.isOpen) return
    if (!this.isWaiting) return this.write([event])
    this.#aside.push(event)
    this.#asideOctets += event.length
    if (this.#asideOctets > MAX_ASIDE_OCTETS) this.cut()
  }

  override drained(): void {
    super.drained()
    const aside = this.#takeAside()
    if (this.isOpen && aside.length > 0) this.write(aside)
  }

  protected override shows(): boolean {
    return true
  }

  protected override encode(eventId: string, retained: Retained): string {
    return encodePassed(eventId, retained)
  }

  protected override gone(): void {
    this.#takeAside()
    this.#onGone(this)
  }

  #takeAside(): readonly Buffer[] {
    const aside = this.#aside
    this.#aside = []
    this.#asideOctets = 0
    return aside
  }
}

/** The event that tells every watch of it. */
export function encodePassed(eventId: string, retained: Retained): string {
  return encodePassedEvent(eventId, `{${describePassed(retained)}}`)
}
