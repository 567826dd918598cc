/**
 * Who is there: registered sessions, and the visitors that only hold a stream.
 *
 * @see docs/http.md §4, PD-04
 */
import { createHash } from 'node:crypto'
import { AgentdError } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'
import { newToken } from '../../core/ids.ts'
import { formatAddress } from '../../protocol/address/handle.ts'
import type { SessionRequest } from '../../protocol/http/requests.ts'
import type { Inheritance, Ledger, SessionRecord } from './ledger.ts'
import { OrphanedMailboxes } from './orphaned-mailboxes.ts'
import { Leases, type Processes } from './leases.ts'
import type { BrokerLimits } from '../quota/limits.ts'
import { Mailbox, type MailboxPast } from './mailbox.ts'
import type { Ring } from '../ring/ring.ts'
import { readRegistration, type RegistrationWish, type RegisteredFacts } from './facts.ts'
import { Session } from './session.ts'

/** What came of a registration. `token` is only ever told here. */
export interface Registration {
  readonly kind: 'created' | 'updated' | 'taken-over'
  readonly session: Session
  readonly token: string
}

/** What the registry tells the rest of the broker. */
export interface SessionObserver {
  /** Somebody came, went, or changed what a scope would expand to. */
  changed(session: Session): void
  /** A session is over; its streams have to end. */
  ended(session: Session, reason: 'replaced' | 'expired'): void
}

export interface SessionsParts {
  readonly clock: Clock
  readonly ring: Ring
  readonly ledger: Ledger
  readonly processes: Processes
  readonly limits: BrokerLimits
  readonly principal: string
  readonly observer: SessionObserver
}

export class Sessions {
  readonly leases: Leases
  readonly #parts: SessionsParts
  readonly #byAddress = new Map<string, Session>()
  readonly #byTokenHash = new Map<string, Session>()
  readonly #estates = new OrphanedMailboxes()

  constructor(parts: SessionsParts) {
    this.#parts = parts
    this.leases = new Leases(parts, (session) => this.#end(session, 'expired', true))
  }

  get count(): number {
    return this.#byAddress.size
  }

  all(): IterableIterator<Session> {
    return this.#byAddress.values()
  }

  find(address: string): Session | undefined {
    return this.#byAddress.get(address)
  }

  /** Whether a handle is the principal's own: its name, or the handle one of its sessions goes by. */
  owns(handle: string): boolean {
    if (handle === this.#parts.principal) return true
    return [...this.#byAddress.values()].some((session) => session.handle === handle)
  }

  /** Takes over the sessions of the last daemon; each has a whole lease to say that it still lives. */
  restore(inheritance: Inheritance): void {
    try {
      this.#restoreAll(inheritance)
    } catch (error) {
      // Nobody gets a broker whose past cannot be told, and so nobody could stop the leases that run already.
      this.stop()
      throw error
    }
  }

  /** The sequence began anew, and so did what is written down: the places are void, the sessions are not. */
  beginAnew(): void {
    for (const session of this.#byAddress.values()) {
      session.forgetPlaces()
      if (session.record !== undefined) this.#parts.ledger.sessionSaved(session.record)
    }
    this.#estates.clear()
  }

  /** The session of a bearer token, touched; undefined for a wrong, expired or revoked one. */
  authenticate(token: string): Session | undefined {
    const session = this.#byTokenHash.get(hashToken(token))
    session?.touch(this.#parts.clock)
    return session
  }

  /**
   * Registers, updates or takes over.
   *
   * @param bearer - the session of the request's own token
   * @throws AgentdError `session-exists` while the holder is alive, `busy` when there are too many,
   *   `sender-identity-mismatch` for a handle that is not the principal's to give
   */
  open(request: SessionRequest, bearer: Session | undefined, token: string | undefined): Registration {
    const facts = readRegistration(request, this.#parts.principal)
    const holder = this.#byAddress.get(facts.address)
    if (holder !== undefined && holder === bearer && token !== undefined) {
      this.#update(holder, facts)
      return { kind: 'updated', session: holder, token }
    }
    if (holder !== undefined && this.leases.isAlive(holder)) throw sessionExists(facts.address)
    if (holder === undefined && this.#byTokenHash.size >= this.#parts.limits.sessions) throw tooManySessions()
    if (holder !== undefined) this.#end(holder, 'replaced', false)
    return this.#admit(facts, holder)
  }

  /**
   * The visitor that an unregistered stream stands for: on the roster while it is open.
   *
   * @throws AgentdError `session-exists` when a registered session holds the address
   */
  visit(facts: Omit<RegisteredFacts, 'address' | 'draftedWith'>): Session {
    const address = formatAddress(facts.handle, facts.instrument, facts.sessionId)
    const holder = this.#byAddress.get(address)
    if (holder?.isVisitor === true) return holder
    if (holder !== undefined) throw sessionExists(address)
    const session = new Session({ ...facts, address, draftedWith: `~${facts.instrument}` }, this.#parts.clock)
    this.#byAddress.set(address, session)
    return session
  }

  /** Ends a session at its own wish. */
  close(session: Session): void {
    this.#end(session, 'expired', false)
  }

  /** A stream of the session has opened: a scope reaches it now. */
  streamOpened(session: Session): void {
    this.#parts.observer.changed(session)
  }

  /** A stream of the session has closed; a visitor goes with its last one. */
  streamClosed(session: Session): void {
    if (session.isVisitor && session.subscriptions.size === 0) this.#byAddress.delete(session.address)
    else session.touch(this.#parts.clock)
    this.#parts.observer.changed(session)
  }

  /** Stops every timer; for the end of the daemon. */
  stop(): void {
    this.leases.stop()
  }

  #admit(facts: RegistrationWish, predecessor: Session | undefined): Registration {
    const token = newToken()
    const session = new Session(facts, this.#parts.clock)
    this.#byAddress.set(session.address, session)
    session.tokenHash = hashToken(token)
    this.#byTokenHash.set(session.tokenHash, session)
    session.seenUpToSeq = this.#parts.ring.lastSeq
    this.#equip(session, facts)
    // A new holder of the same address is the same agent come back: what waited for it still does.
    const left = predecessor?.mailbox ?? this.#estates.take(session.address)
    if (session.mailbox !== undefined) left?.moveTo(session.mailbox)
    this.leases.arm(session)
    this.#save(session)
    return { kind: predecessor === undefined ? 'created' : 'taken-over', session, token }
  }

  #update(session: Session, facts: RegistrationWish): void {
    session.facts = facts
    session.touch(this.#parts.clock)
    this.#equip(session, facts)
    this.#save(session)
  }

  #restoreAll({ sessions, mailboxes, losses, priorities }: Inheritance): void {
    const pastOf = (address: string): MailboxPast => ({
      waiting: mailboxes.get(address),
      priorities,
      loss: losses.get(address),
    })
    for (const record of sessions) {
      const { address } = record.facts
      const { ring } = this.#parts
      const mailbox = record.hasMailbox && new Mailbox(ring, pastOf(address))
      this.#restoreOne(record, mailbox || undefined)
    }
    for (const address of mailboxes.keys()) {
      if (this.#byAddress.has(address)) continue
      this.#estates.leave(address, new Mailbox(this.#parts.ring, pastOf(address)))
    }
  }

  #restoreOne(record: SessionRecord, mailbox: Mailbox | undefined): void {
    const session = new Session(record.facts, this.#parts.clock, record.startedAtMs)
    session.lastSeenAtMs = record.lastSeenAtMs
    session.tokenHash = record.tokenHash
    session.pidStartTime = record.pidStartTime
    session.seenUpToSeq = record.seenUpToSeq
    session.heirOf = record.heirOf
    session.mailbox = mailbox
    this.#byAddress.set(session.address, session)
    this.#byTokenHash.set(record.tokenHash, session)
    this.leases.arm(session)
    this.#parts.observer.changed(session)
  }

  #save(session: Session): void {
    const { record } = session
    if (record !== undefined) this.#parts.ledger.sessionSaved(record)
    this.#parts.observer.changed(session)
  }

  /** What a registration brings besides its name: a process to watch, a mailbox, an inheritance. */
  #equip(session: Session, facts: RegistrationWish): void {
    session.pidStartTime = facts.pid === undefined ? undefined : this.#parts.processes.startTime(facts.pid)
    if (facts.mailbox === true) session.mailbox ??= new Mailbox(this.#parts.ring)
    else if (facts.mailbox === false) dropMailbox(session)
    if (facts.successorOf !== undefined) this.#inherit(session, `${facts.handle}/${facts.successorOf}`)
  }

  /** Moves what waits for another address, or was left behind at it, to a session that carries on. */
  #inherit(session: Session, from: string): void {
    const predecessor = this.#byAddress.get(from)
    if (predecessor === session || session.mailbox === undefined) return
    const left = predecessor?.mailbox ?? this.#estates.take(from)
    if (predecessor === undefined && left === undefined) return
    left?.moveTo(session.mailbox)
    session.heirOf = [...session.heirOf, from, ...(predecessor?.heirOf ?? [])]
    this.#parts.ledger.mailboxMoved(from, session.address)
    if (predecessor === undefined) return
    dropMailbox(predecessor)
    this.#save(predecessor)
  }

  /** @param hasLapsed - nobody ended it: what waits for it is kept for whoever carries on */
  #end(session: Session, reason: 'replaced' | 'expired', hasLapsed: boolean): void {
    session.isOver = true
    this.#byAddress.delete(session.address)
    if (session.tokenHash !== undefined) this.#byTokenHash.delete(session.tokenHash)
    this.leases.drop(session)
    // A new holder of the address overwrites what was written down of the old one.
    const leavesMail = hasLapsed && this.#estates.leave(session.address, session.mailbox)
    if (reason === 'expired') this.#parts.ledger.sessionEnded(session.address, leavesMail)
    session.mailbox?.wake()
    this.#parts.observer.ended(session, reason)
    this.#parts.observer.changed(session)
  }
}

/** Whoever waits at it is told that there is nothing to wait for. */
function dropMailbox(session: Session): void {
  const { mailbox } = session
  session.mailbox = undefined
  mailbox?.wake()
}

/** Tokens are compared by their digests, so a lookup tells nothing about a token that is almost right. */
function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}

function sessionExists(address: string): AgentdError {
  return new AgentdError(
    'session-exists',
    `${address} is held by a living session; send its token to update it, or choose another session_id.`,
    { field: 'session_id' },
  )
}

function tooManySessions(): AgentdError {
  return new AgentdError('busy', 'There are as many sessions as the daemon may hold.', {
    retryAfterMs: 1_000,
  })
}
