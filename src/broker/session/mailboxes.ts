/**
 * Which session has which mailbox: given at registration, taken over by a successor, left behind by a lapsed lease.
 */
import { ownLane } from '../mail/lanes.ts'
import type { Runs } from '../mail/runs.ts'
import type { Inheritance, Ledger, MailboxRecord } from './ledger.ts'
import { Mailbox, type MailboxParts } from './mailbox.ts'
import { OrphanedMailboxes } from './orphaned-mailboxes.ts'
import type { Session } from './session.ts'

/** What the mailboxes work with. */
interface MailboxesParts extends MailboxParts {
  readonly ledger: Ledger
  /** Everybody who may have one. */
  readonly sessions: () => Iterable<Session>
}

export class Mailboxes {
  readonly #parts: MailboxesParts
  readonly #orphaned: OrphanedMailboxes

  constructor(parts: MailboxesParts) {
    this.#parts = parts
    this.#orphaned = new OrphanedMailboxes((mailbox) => this.#discard(mailbox))
  }

  /** Takes over what stands in the lanes, before any mailbox that reads them. */
  restoreLanes({ lanes }: Pick<Inheritance, 'lanes'>): void {
    this.#parts.lanes.restore(lanes)
  }

  /** The mailbox of an address as the last daemon left it. */
  restore(address: string, { mailboxes }: Pick<Inheritance, 'mailboxes'>): Mailbox {
    return new Mailbox(address, this.#parts, mailboxes.get(address))
  }

  /** Keeps what waits for addresses that no session holds any more. */
  restoreOrphaned(past: Pick<Inheritance, 'mailboxes'>, isHeld: (address: string) => boolean): void {
    for (const address of past.mailboxes.keys()) {
      if (isHeld(address)) continue
      const left = this.restore(address, past)
      if (!this.#orphaned.leave(left)) this.#discard(left)
    }
  }

  /** @param wanted - as a registration has it: undefined leaves everything as it is */
  equip(session: Session, wanted: boolean | undefined): void {
    if (wanted === true) session.mailbox ??= new Mailbox(session.address, this.#parts)
    else if (wanted === false) this.#drop(session)
  }

  /** A new holder of the same address is the same agent come back: what waited for it still does. */
  comeBack(session: Session, predecessor: Session | undefined): void {
    const left = predecessor?.mailbox ?? this.#orphaned.take(session.address)
    if (session.mailbox !== undefined) left?.moveTo(session.mailbox)
    else if (left !== undefined) this.#discard(left)
  }

  /**
   * Moves what waits for another address, or was left behind at it, to a session that carries on.
   *
   * @returns whether anything changed hands; the predecessor has no mailbox then
   */
  inherit(session: Session, from: string, predecessor: Session | undefined): boolean {
    if (predecessor === session || session.mailbox === undefined) return false
    const left = predecessor?.mailbox ?? this.#orphaned.take(from)
    if (predecessor === undefined && left === undefined) return false
    left?.moveTo(session.mailbox)
    if (predecessor !== undefined) this.#drop(predecessor)
    return true
  }

  /**
   * Keeps what waits for a session that is over, for whoever carries on: where nobody ended it, and where nothing proves
   * that all of what was handed to it was shown (OP-09).
   *
   * @returns false for nothing
   */
  leave({ mailbox }: Session, hasLapsed: boolean): boolean {
    if (mailbox === undefined) return false
    return (hasLapsed || mailbox.handed.count > 0) && this.#orphaned.leave(mailbox)
  }

  /** Nobody will ask for what waits for a session that ended itself. */
  end({ address }: Session): void {
    this.#parts.lanes.delete(ownLane(address))
  }

  /** Has every mailbox count what the ring has trimmed; what is lost now is lost, whatever is forgotten next. */
  settle(): void {
    for (const mailbox of this.#all()) mailbox.settle()
  }

  /** What the person had forgotten waits nowhere any more. */
  forget(gone: Runs): void {
    this.#parts.lanes.forget(gone)
    for (const mailbox of this.#all()) mailbox.forget(gone)
  }

  /** Counts what the ring has trimmed, and lets go of where it was. */
  sweep(): void {
    const { lanes, ledger, ring } = this.#parts
    const records = new Map<string, MailboxRecord>()
    for (const mailbox of this.#all()) {
      mailbox.settle()
      records.set(mailbox.address, mailbox.record)
    }
    ledger.mailSwept(records, ring.firstSeq)
    lanes.dropBefore(ring.firstSeq)
  }

  /** The sequence began anew: the places name nothing any more. */
  beginAnew(): void {
    for (const { mailbox } of this.#parts.sessions()) mailbox?.reset()
    this.#orphaned.clear()
    this.#parts.lanes.clear()
  }

  *#all(): Generator<Mailbox> {
    for (const { mailbox } of this.#parts.sessions()) if (mailbox !== undefined) yield mailbox
    yield* this.#orphaned.all()
  }

  /** Whoever waits at it is told that there is nothing to wait for. */
  #drop(session: Session): void {
    const { mailbox } = session
    session.mailbox = undefined
    if (mailbox !== undefined) this.#discard(mailbox)
  }

  #discard(mailbox: Mailbox): void {
    this.#parts.lanes.delete(ownLane(mailbox.address))
    this.#parts.ledger.mailboxDropped(mailbox.address)
    mailbox.wake()
  }
}
