/**
 * What waits for a session that holds no stream: places in the ring, in order.
 *
 * A mailbox keeps sequence numbers, not frames; retention is the ring's, and what it trims before it was
 * read is counted and told as a gap.
 */
import { PRIORITIES, type Priority } from '../../aee/envelope/envelope.ts'
import { FairOrder } from './fair-order.ts'
import type { MailboxLoss } from './ledger.ts'
import type { Ring } from '../ring/ring.ts'

/** What a daemon left of a mailbox. */
export interface MailboxPast {
  /** Places that wait, in order. */
  readonly waiting?: readonly number[] | undefined
  /** Of those that are not normal. */
  readonly priorities?: ReadonlyMap<number, Priority> | undefined
  /** What it had lost before that, untold. */
  readonly loss?: MailboxLoss | undefined
}

export class Mailbox {
  /** Whose turn it is in a backlog of several priorities. */
  readonly fairness = new FairOrder()
  readonly #ring: Ring
  /** Places whose priority is not the usual one; frames have none. */
  readonly #marked = new Map<number, Priority>()
  #seqs: number[] = []
  /** Frames the ring trimmed before they were read; told, then forgotten, at the next drain. */
  #lost = 0
  /** The last place handed over, or told as lost: what a gap names as `requested`. */
  #cursor: number
  readonly #waiters = new Set<() => void>()

  /** @param past - what a mailbox that outlived a daemon held */
  constructor(ring: Ring, { waiting = [], priorities, loss }: MailboxPast = {}) {
    this.#ring = ring
    this.#seqs = [...waiting]
    this.#lost = loss?.lost ?? 0
    this.#cursor = loss?.beforeSeq ?? (waiting[0] ?? ring.lastSeq + 1) - 1
    for (const seq of waiting) this.#mark(seq, priorities?.get(seq))
  }

  get unread(): number {
    this.prune()
    return this.#seqs.length
  }

  /** Places held in memory, of what the ring has trimmed too. */
  get held(): number {
    return this.#seqs.length
  }

  /** Frames trimmed unread since the last drain. */
  get lost(): number {
    this.prune()
    return this.#lost
  }

  get cursor(): number {
    return this.#cursor
  }

  push(seq: number, priority?: Priority): void {
    this.#seqs.push(seq)
    this.#mark(seq, priority)
    if (this.#seqs.length % PRUNE_EVERY === 0) this.prune()
    this.wake()
  }

  /**
   * The places that a look of so many finds: the oldest, and behind them the oldest of each priority that is not
   * the usual one. So nothing urgent waits behind a backlog until it is read, and nothing low behind the urgent.
   */
  window(limit: number): readonly number[] {
    const oldest = this.peek().slice(0, limit)
    const last = oldest.at(-1) ?? 0
    const beyond = PRIORITIES.flatMap((wanted) =>
      [...this.#marked]
        .filter(([seq, priority]) => seq > last && priority === wanted)
        .slice(0, Math.ceil(limit / PRIORITIES.length))
        .map(([seq]) => seq),
    )
    return beyond.length === 0 ? oldest : [...oldest, ...beyond.toSorted((a, b) => a - b)]
  }

  /** What something that waits counts as, without a look at it. */
  readonly priorityAt = (seq: number): Priority => this.#marked.get(seq) ?? 'normal'

  /** What waits, oldest first, without taking it. */
  peek(): readonly number[] {
    this.prune()
    return this.#seqs
  }

  /** Takes the given places out; @returns those that were there. */
  remove(seqs: ReadonlySet<number>): readonly number[] {
    if (seqs.size === 0 || this.#seqs.length === 0) return []
    const taken = this.#seqs.filter((seq) => seqs.has(seq))
    for (const seq of taken) this.#marked.delete(seq)
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

  /**
   * Drops what the person had forgotten: nobody waits for that, and nobody has lost it. To be pruned before.
   *
   * @param places - in order
   */
  dropForgotten(places: readonly number[]): void {
    const first = lowerBound(this.#seqs, places[0] ?? Infinity)
    const end = lowerBound(this.#seqs, (places.at(-1) ?? 0) + 1)
    if (end <= first) return
    const gone = new Set(places)
    const kept = this.#seqs.slice(first, end).filter((seq) => !gone.has(seq))
    this.#seqs.splice(first, end - first, ...kept)
    for (const seq of places) this.#marked.delete(seq)
  }

  /** Hands everything that waits to a successor (docs/http.md §4, `successor_of`). */
  moveTo(successor: Mailbox): void {
    this.prune()
    successor.#seqs = [...new Set([...this.#seqs, ...successor.#seqs])].toSorted((a, b) => a - b)
    for (const [seq, priority] of this.#marked) successor.#mark(seq, priority)
    this.#marked.clear()
    successor.#lost += this.#lost
    successor.#cursor = Math.min(this.#cursor, successor.#cursor)
    this.#seqs = []
    this.#lost = 0
    successor.wake()
  }

  /** The ring began anew: what waited is gone, and is told as lost. */
  reset(): void {
    this.#lost += this.#seqs.length
    this.#seqs = []
    this.#marked.clear()
    this.#cursor = this.#ring.lastSeq
  }

  /** Lets everybody who waits look again. */
  wake(): void {
    for (const wake of this.#waiters) wake()
  }

  /** Calls back at every arrival, and when the mailbox changes hands, until the returned function is called. */
  onArrival(wake: () => void): () => void {
    this.#waiters.add(wake)
    return () => this.#waiters.delete(wake)
  }

  /** Lets go of what the ring has trimmed, and counts it as lost. */
  prune(): void {
    const { firstSeq } = this.#ring
    const kept = this.#seqs.findIndex((seq) => seq >= firstSeq)
    const gone = kept === -1 ? this.#seqs.length : kept
    if (gone === 0) return
    for (const seq of this.#seqs.splice(0, gone)) this.#marked.delete(seq)
    this.#lost += gone
  }

  #mark(seq: number, priority: Priority | undefined): void {
    if (priority !== undefined && priority !== 'normal') this.#marked.set(seq, priority)
  }
}

/** Arrivals between two looks at what the ring has trimmed; bounds a mailbox nobody reads. */
export const PRUNE_EVERY = 1_024

/** How many of these places lie before one. */
function lowerBound(seqs: readonly number[], seq: number): number {
  let low = 0
  let high = seqs.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((seqs[middle] ?? 0) < seq) low = middle + 1
    else high = middle
  }
  return low
}
