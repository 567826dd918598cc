/**
 * What waits for a session that holds no stream: a place to read from, and what it listens for (HD-03).
 *
 * A mailbox keeps no frames, and no place per frame either: it says from where on it reads which lanes, and which
 * places of those it has taken out of turn. Retention is the ring's, and what it trims before it was read is counted and
 * told as a gap.
 */
import type { Clock } from '../../core/clock.ts'
import type { Via } from '../../protocol/http/requests.ts'
import { Handed } from '../mail/handed.ts'
import { Holding, type Standing } from '../mail/holding.ts'
import type { Lanes } from '../mail/lanes.ts'
import type { Reading } from '../mail/reading.ts'
import { runsOf, type Runs } from '../mail/runs.ts'
import type { Hole } from '../origins/origins.ts'
import type { Ring } from '../ring/ring.ts'
import { FairOrder } from '../mail/fair-order.ts'
import type { InheritedMailbox, Ledger, MailboxRecord } from './ledger.ts'

/** What a mailbox works with. */
export interface MailboxParts {
  readonly ring: Pick<Ring, 'firstSeq' | 'lastSeq' | 'origins'>
  readonly lanes: Lanes
  readonly ledger: Pick<Ledger, 'mailboxSaved' | 'mailboxMoved'>
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** Told when something is queued again for a mailbox that was passed over. */
  readonly onReturn: (address: string) => void
}

export class Mailbox {
  readonly address: string
  readonly fairness = new FairOrder()
  /** What waits no longer and is not seen yet either. */
  readonly handed = new Handed<Via>()
  readonly #parts: MailboxParts
  readonly #holding: Holding
  /** Frames the ring trimmed before they were read; told, then forgotten, at the next drain. */
  #lost: number
  /** The last place handed over, or told as lost: what a gap names as `requested`. */
  #cursor: number
  #nextHole: number
  /** When somebody last looked into it, by the daemon's running time: a clock that is set ages nothing (HD-16). */
  #usedAtMs: number
  readonly #waiters = new Set<() => void>()

  /** @param past - what a mailbox that outlived a daemon held */
  constructor(address: string, parts: MailboxParts, past?: InheritedMailbox) {
    this.address = address
    this.#parts = parts
    this.#holding = new Holding({ ...parts, address }, past)
    this.#lost = past?.record.lost ?? 0
    this.#cursor = past?.record.cursor ?? parts.ring.lastSeq
    this.#nextHole = past?.record.holes ?? parts.ring.origins.nextHole
    this.#usedAtMs = parts.clock.monotonicMs()
  }

  get unread(): number {
    this.settle()
    return this.#holding.count - this.handed.count
  }

  /** Frames trimmed unread since the last drain. */
  get lost(): number {
    this.settle()
    return this.#lost
  }

  get cursor(): number {
    return this.#cursor
  }

  /** Runs and stretches it holds: what it costs, however much waits. */
  get held(): number {
    return this.#holding.length
  }

  /** Whether nothing is queued for it, since nobody has looked into it for so long. */
  get isPassedOver(): boolean {
    return this.#holding.open?.isPassedOver === true
  }

  /** What waits, good until the next change. */
  get reading(): Reading {
    this.settle()
    return this.#holding.reading
  }

  /** What is written down of it, besides what it has taken. */
  get record(): MailboxRecord {
    return { ...this.#holding.record, lost: this.#lost, cursor: this.#cursor, holes: this.#nextHole }
  }

  /** Whether frames to its scopes wait by their lanes. */
  get readsFrames(): boolean {
    return this.#holding.open?.frames === true
  }

  /** Whether envelopes to an entity wait by its lane. */
  readsEntity(name: string): boolean {
    return this.#holding.open?.entities.includes(name) === true
  }

  /** From now on it stands in for this; nothing at all ends that. */
  listen({ frames, entities }: Standing): void {
    if (this.#holding.isOpenFor({ frames, entities })) return
    this.#return()
    if (frames || entities.length > 0) this.#holding.begin({ address: this.address, frames, entities })
    else this.#holding.end()
    this.#save()
  }

  /** Somebody looks into it. What was sent while it was passed over is lost, and told so. */
  use(): void {
    this.#usedAtMs = this.#parts.clock.monotonicMs()
    if (this.#return()) this.#parts.onReturn(this.address)
  }

  /** Queues nothing more where nobody has looked for so long. @returns whether that is news */
  passOver(unusedMs: number): boolean {
    const { open } = this.#holding
    if (open === undefined || open.isPassedOver === true) return false
    if (this.#parts.clock.monotonicMs() - this.#usedAtMs < unusedMs) return false
    const { address, frames, entities } = open
    this.#holding.begin({ address, frames, entities, isPassedOver: true })
    this.#save()
    return true
  }

  /** A place of its lanes that is not for it: its own word, or what a stream beside it took. Newest last. */
  spare(seq: number): void {
    this.#holding.spare(seq)
  }

  /** What waits, oldest first, without taking it. */
  peek(limit = Infinity): readonly number[] {
    return this.reading.after(0, limit)
  }

  /** Takes the given places out; @returns those that were there, in order. */
  remove(seqs: Iterable<number>): readonly number[] {
    this.settle()
    const taken = this.#holding.take(seqs)
    this.handed.delete(taken)
    if (taken.length === 0) return taken
    this.#cursor = Math.max(this.#cursor, taken.at(-1) ?? 0)
    this.#save(taken)
    return taken
  }

  /** How many frames were trimmed unread since the last call. */
  takeLost(): number {
    const { lost } = this
    if (lost === 0) return 0
    this.#cursor = Math.max(this.#cursor, this.#parts.ring.firstSeq - 1)
    this.#lost = 0
    this.#save()
    return lost
  }

  /** What is missing of other nodes since somebody was told last (FED-28). */
  get holes(): readonly Hole[] {
    return this.#parts.ring.origins.holesFrom(this.#nextHole)
  }

  /** It is told. */
  passHoles(): void {
    if (this.holes.length === 0) return
    this.#nextHole = this.#parts.ring.origins.nextHole
    this.#save()
  }

  /** What the person had forgotten: nobody waits for that, and nobody has lost it. To be settled before. */
  forget(gone: Runs): void {
    this.#holding.forget(gone)
    this.handed.forget(gone)
  }

  /** It stands in for nothing more; what waits is kept for whoever carries on. */
  close(): void {
    this.listen({ frames: false, entities: [] })
  }

  /** Hands everything that waits to a successor (docs/http.md §4, `successor_of`), and holds nothing more. */
  moveTo(successor: Mailbox): void {
    for (const one of [this, successor]) {
      one.#return()
      one.settle()
    }
    this.#holding.end()
    const own = successor.#holding.takeOver(this.#holding)
    successor.#lost += this.#lost
    successor.handed.inherit(this.handed)
    successor.#cursor = Math.min(this.#cursor, successor.#cursor)
    successor.#nextHole = Math.min(this.#nextHole, successor.#nextHole)
    this.#lost = 0
    const whole = { record: successor.record, taken: [...successor.#holding.taken], own }
    this.#parts.ledger.mailboxMoved(this.address, successor.address, whole)
    successor.wake()
  }

  /** The ring began anew: what waited is gone, and is told as lost. To be asked before the lanes are cleared. */
  reset(): void {
    this.#lost += this.#holding.reset()
    this.handed.clear()
    this.#cursor = this.#parts.ring.lastSeq
    this.#nextHole = this.#parts.ring.origins.nextHole
    this.#save()
  }

  /** Lets everybody who waits look again. */
  wake(): void {
    for (const wake of this.#waiters) wake()
  }

  /** Calls back at every arrival, and when the mailbox changes hands, until the returned function is called. */
  onArrival(wake: () => void): () => void {
    const { awaited } = this.#parts.lanes
    this.#waiters.add(wake)
    awaited.add(this)
    return () => {
      this.#waiters.delete(wake)
      if (this.#waiters.size === 0) awaited.delete(this)
    }
  }

  /** Lets go of what the ring has trimmed, and counts it as lost. */
  settle(): void {
    this.#lost += this.#holding.settle()
    this.handed.dropBefore(this.#parts.ring.firstSeq)
  }

  /** Ends being passed over. @returns whether it was */
  #return(): boolean {
    const { open } = this.#holding
    if (open?.isPassedOver !== true) return false
    this.settle()
    this.#lost += this.#holding.giveUp(open)
    const { address, frames, entities } = open
    this.#holding.begin({ address, frames, entities })
    this.#save()
    return true
  }

  /** @param taken - what was taken since it was last written down */
  #save(taken: readonly number[] = []): void {
    const { from } = this.#holding.record
    const runs = [...runsOf(taken)].filter(({ last }) => last >= from)
    this.#parts.ledger.mailboxSaved(this.address, this.record, runs)
  }
}
