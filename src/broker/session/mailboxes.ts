/**
 * Which session has which mailbox: given at registration, taken over by a successor, left behind by a lapsed lease.
 */
import type { Ring } from '../ring/ring.ts'
import type { Inheritance } from './ledger.ts'
import { Mailbox } from './mailbox.ts'
import { OrphanedMailboxes } from './orphaned-mailboxes.ts'
import type { Session } from './session.ts'

/** What a daemon left of its mailboxes. */
type MailboxesPast = Pick<Inheritance, 'mailboxes' | 'losses' | 'priorities'>

export class Mailboxes {
  readonly #ring: Ring
  readonly #orphaned = new OrphanedMailboxes()

  constructor(ring: Ring) {
    this.#ring = ring
  }

  /** The mailbox of an address as the last daemon left it. */
  restore(address: string, { mailboxes, losses, priorities }: MailboxesPast): Mailbox {
    const waiting = mailboxes.get(address)
    return new Mailbox(this.#ring, { waiting, priorities, loss: losses.get(address) })
  }

  /** Keeps what waits for addresses that no session holds any more. */
  restoreOrphaned(past: MailboxesPast, isHeld: (address: string) => boolean): void {
    for (const address of past.mailboxes.keys()) {
      if (!isHeld(address)) this.#orphaned.leave(address, this.restore(address, past))
    }
  }

  /** @param wanted - as a registration has it: undefined leaves everything as it is */
  equip(session: Session, wanted: boolean | undefined): void {
    if (wanted === true) session.mailbox ??= new Mailbox(this.#ring)
    else if (wanted === false) drop(session)
  }

  /** A new holder of the same address is the same agent come back: what waited for it still does. */
  comeBack(session: Session, predecessor: Session | undefined): void {
    const left = predecessor?.mailbox ?? this.#orphaned.take(session.address)
    if (session.mailbox !== undefined) left?.moveTo(session.mailbox)
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
    session.heirOf = [...session.heirOf, from, ...(predecessor?.heirOf ?? [])]
    if (predecessor !== undefined) drop(predecessor)
    return true
  }

  /** Keeps what waits for a session whose lease ran out. @returns false for nothing */
  orphan({ address, mailbox }: Session): boolean {
    return this.#orphaned.leave(address, mailbox)
  }

  /** The sequence began anew: the places name nothing any more. */
  clearOrphaned(): void {
    this.#orphaned.clear()
  }
}

/** Whoever waits at it is told that there is nothing to wait for. */
function drop(session: Session): void {
  const { mailbox } = session
  session.mailbox = undefined
  mailbox?.wake()
}
