/**
 * What waits for a session that holds no stream: places in the ring, in order.
 *
 * A mailbox keeps sequence numbers, not frames; retention is the ring's, and what it trims before it was
 * read is counted and told as a gap.
 */
import { FairOrder } from './fair-order.ts'
import type { MailboxLoss } from './ledger.ts'
import type { Ring } from './ring.ts'

export class Mailbox {
  /** Whose turn it is in a backlog of several priorities. */
  readonly fairness = new FairOrder()
  readonly #ring: Ring
  #seqs: number[] = []
  /** Frames the ring trimmed before they were read; told, then forgotten, at the next drain. */
  #lost = 0
  /** The last place handed over, or told as lost: what a gap names as `requested`. */
  #cursor: number
  readonly #waiters = new Set<() => void>()

  /**
   * @param waiting - places that already wait, in order; for a mailbox that outlived a daemon
   * @param loss - what it had lost before that, untold
   */
  constructor(ring: Ring, waiting: readonly number[] = [], loss?: MailboxLoss) {
    this.#ring = ring
    this.#seqs = [...waiting]
    this.#lost = loss?.lost ?? 0
    this.#cursor = loss?.beforeSeq ?? (waiting[0] ?? ring.lastSeq + 1) - 1
  }

  get unread(): number {
    this.#prune()
    return this.#seqs.length
  }

  /** Frames trimmed unread since the last drain. */
  get lost(): number {
    this.#prune()
    return this.#lost
  }

  get cursor(): number {
    return this.#cursor
  }

  push(seq: number): void {
    this.#seqs.push(seq)
    if (this.#seqs.length % PRUNE_EVERY === 0) this.#prune()
    for (const wake of this.#waiters) wake()
  }

  /** What waits, oldest first, without taking it. */
  peek(): readonly number[] {
    this.#prune()
    return this.#seqs
  }

  /** Takes the given places out; @returns those that were there. */
  remove(seqs: ReadonlySet<number>): readonly number[] {
    if (seqs.size === 0 || this.#seqs.length === 0) return []
    const taken = this.#seqs.filter((seq) => seqs.has(seq))
    this.#seqs = this.#seqs.filter((seq) => !seqs.has(seq))
    for (const seq of taken) this.#cursor = Math.max(this.#cursor, seq)
    return taken
  }

  /** How many frames were trimmed unread since the last call. */
  takeLost(): number {
    const { lost } = this
    if (lost > 0) this.#cursor = Math.max(this.#cursor, this.#ring.firstSeq - 1)
    this.#lost = 0
    return lost
  }

  /** Drops what the person had forgotten: nobody waits for that, and nobody has lost it. */
  dropForgotten(): void {
    this.#seqs = this.peek().filter((seq) => this.#ring.get(seq) !== undefined)
  }

  /** Hands everything that waits to a successor (wire §4, `successor_of`). */
  moveTo(successor: Mailbox): void {
    this.#prune()
    successor.#seqs = [...new Set([...this.#seqs, ...successor.#seqs])].toSorted((a, b) => a - b)
    successor.#lost += this.#lost
    successor.#cursor = Math.min(this.#cursor, successor.#cursor)
    this.#seqs = []
    this.#lost = 0
    for (const wake of successor.#waiters) wake()
  }

  /** The ring began anew: what waited is gone, and is told as lost. */
  reset(): void {
    this.#lost += this.#seqs.length
    this.#seqs = []
    this.#cursor = this.#ring.lastSeq
  }

  /** Calls back at every arrival until the returned function is called. */
  onArrival(wake: () => void): () => void {
    this.#waiters.add(wake)
    return () => this.#waiters.delete(wake)
  }

  #prune(): void {
    const { firstSeq } = this.#ring
    const kept = this.#seqs.findIndex((seq) => seq >= firstSeq)
    const gone = kept === -1 ? this.#seqs.length : kept
    if (gone === 0) return
    this.#seqs.splice(0, gone)
    this.#lost += gone
  }
}

/** Arrivals between two looks at what the ring has trimmed; bounds a mailbox nobody reads. */
const PRUNE_EVERY = 1_024
