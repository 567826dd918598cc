/**
 * Who is there: registered sessions, and the visitors that only hold a stream.
 *
 * @see docs/http.md §4, PD-04
 */
import { newToken } from '../../core/ids.ts'
import { formatAddress } from '../../protocol/address/handle.ts'
import type { SessionRequest } from '../../protocol/http/requests.ts'
import { findLifeline, knownProcess } from '../kinship/lifeline.ts'
import { requireSameActor } from './caller.ts'
import type { Inheritance } from './ledger.ts'
import { Leases } from './leases.ts'
import { Mailboxes } from './mailboxes.ts'
import { hashToken } from './directory.ts'
import { readRegistration, type RegistrationWish, type RegisteredFacts } from './facts.ts'
import { findYielding } from './places.ts'
import { Roster } from './roster.ts'
import { Session } from './session.ts'
import type { Registration, SessionEndObserver, SessionsParts } from './sessions-parts.ts'
import { Succession, formerAddress, sessionExists, type Proof } from './succession.ts'

export class Sessions extends Roster {
  readonly #parts: SessionsParts
  readonly #leases: Leases
  /** Their mailboxes, and those that nobody holds any more. */
  readonly mail: Mailboxes
  readonly #succession: Succession
  readonly #endObservers = new Set<SessionEndObserver>()

  constructor(parts: SessionsParts) {
    super(parts)
    this.#parts = parts
    const onReturn = (address: string): void => this.#mailReturned(address)
    this.mail = new Mailboxes({ ...parts, onReturn, sessions: () => this.directory.all() })
    this.#leases = new Leases(parts, {
      onExpired: (session) => this.#end(session, 'expired', true),
      onAlive: (session) => this.#passOverUnused(session),
    })
    this.#succession = new Succession({
      ...parts,
      leases: this.#leases,
      mailboxes: this.mail,
      find: (address) => this.directory.find(address),
    })
    parts.lifelines.onGone = (session) => this.#end(session, 'expired', true)
  }

  /** Whether its process runs; or, without one that is proven, it holds a stream or was heard of within its lease. */
  isAlive(session: Session): boolean {
    return this.#leases.isAlive(session)
  }

  /** When a session would be forgotten if nothing were heard of it, wall time in milliseconds. */
  expiresAtMs(session: Session): number {
    return this.#leases.expiresAtMs(session)
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
    for (const session of this.directory.all()) {
      session.forgetPlaces()
      if (session.record !== undefined) this.#parts.ledger.sessionSaved(session.record)
    }
    this.mail.beginAnew()
  }

  /** The session of a bearer token, touched; undefined for a wrong, expired or revoked one. */
  authenticate(token: string): Session | undefined {
    const session = this.directory.findByToken(token)
    session?.touch(this.#parts.clock)
    return session
  }

  /**
   * Registers, updates or takes over.
   *
   * @param bearer - the session of the request's own token
   * @throws AgentdError `session-exists` for a living holder, or a living predecessor without `proof` (HD-01); `busy`;
   *   `sender-identity-mismatch` for a handle that is not the principal's to give
   */
  open(
    request: SessionRequest,
    bearer: Session | undefined,
    token: string | undefined,
    proof: Proof = {},
  ): Registration {
    const known = bearer && this.directory.has(bearer) ? bearer.facts : undefined
    const wish = readRegistration(request, this.#parts.authority, known)
    requireSameActor(wish.handle, bearer, this.#parts.authority)
    const holder = this.directory.find(wish.address)
    const isUpdate = holder !== undefined && holder === bearer
    if (holder !== undefined && !isUpdate && this.#leases.isAlive(holder)) throw sessionExists(wish.address)
    this.#succession.require(wish, proof)
    if (isUpdate && token !== undefined) {
      this.#update(holder, wish, proof)
      return { kind: 'updated', session: holder, token }
    }
    const leaving = holder ?? findYielding(this.directory, this.#parts.limits.sessions, this.#parts.clock)
    // Who gives way has lapsed: what waits for it is kept.
    if (leaving !== undefined)
      this.#end(leaving, leaving === holder ? 'replaced' : 'expired', leaving !== holder)
    return this.#admit(wish, proof, holder)
  }

  /**
   * The visitor that an unregistered stream stands for: on the roster while it is open.
   *
   * @throws AgentdError `session-exists` when a registered session holds the address
   */
  visit(facts: Omit<RegisteredFacts, 'address' | 'draftedWith'>): Session {
    const address = formatAddress(facts.handle, facts.instrument, facts.sessionId)
    const holder = this.directory.find(address)
    if (holder?.isVisitor === true) return holder
    if (holder !== undefined) throw sessionExists(address)
    const session = new Session({ ...facts, address, draftedWith: `~${facts.instrument}` }, this.#parts.clock)
    this.directory.add(session)
    return session
  }

  /** Tells of each session that has ended, until the returned function is called; of no visitor (OP-27). */
  observeEnds(observer: SessionEndObserver): () => void {
    this.#endObservers.add(observer)
    return () => this.#endObservers.delete(observer)
  }

  /** Ends a session at its own wish. */
  close(session: Session): void {
    this.#end(session, 'expired', false)
  }

  /** A stream of the session has opened: a scope reaches it now. */
  streamOpened(session: Session): void {
    this.#announce(session)
  }

  /** A stream of the session has closed; a visitor goes with its last one. */
  streamClosed(session: Session): void {
    if (session.isVisitor && session.subscriptions.size === 0) this.directory.remove(session)
    else session.touch(this.#parts.clock)
    this.#announce(session)
  }

  /** Stops every timer; for the end of the daemon. */
  stop(): void {
    this.#leases.stop()
    this.#parts.lifelines.stop()
  }

  #admit(wish: RegistrationWish, proof: Proof, predecessor: Session | undefined): Registration {
    const token = newToken()
    const session = new Session(wish, this.#parts.clock)
    session.tokenHash = hashToken(token)
    session.registrant = knownProcess(this.#parts.processes, proof.peerPid)
    this.directory.add(session, formerAddress(wish))
    session.seenUpToSeq = this.#parts.ring.lastSeq
    const carrier = this.#parts.heirs.arrive(session, predecessor)
    if (carrier !== undefined) this.#save(carrier)
    this.#equip(session, wish, proof)
    this.mail.comeBack(session, predecessor)
    this.#leases.arm(session)
    this.#save(session)
    return { kind: predecessor === undefined ? 'created' : 'taken-over', session, token }
  }

  #update(session: Session, wish: RegistrationWish, proof: Proof): void {
    session.facts = wish
    session.touch(this.#parts.clock)
    this.#equip(session, wish, proof)
    this.#save(session)
  }

  #restoreAll(past: Inheritance): void {
    this.mail.restoreLanes(past)
    this.directory.rememberNames(past.departed)
    for (const record of past.sessions) {
      const mailbox = record.hasMailbox ? this.mail.restore(record.facts.address, past) : undefined
      const session = Session.restored(record, this.#parts.clock, mailbox)
      this.directory.add(session)
      this.#parts.heirs.restore(session)
      this.#leases.arm(session)
      this.#parts.lifelines.follow(session)
      this.#announce(session)
      // An earlier version wrote no name down.
      if (record.name !== session.name) this.#save(session)
    }
    this.mail.restoreOrphaned(past, (address) => this.directory.find(address) !== undefined)
    // Whose process ended while no daemon ran is not there; what waits for it is kept.
    this.#parts.lifelines.lookAtAll()
  }

  #save(session: Session): void {
    const { record } = session
    if (record !== undefined) this.#parts.ledger.sessionSaved(record)
    this.#announce(session)
  }

  #announce(session: Session): void {
    if (this.directory.has(session)) session.mailbox?.listen(session.standing)
    this.#parts.observer.sessionChanged(session, this.directory.has(session))
    this.tellChanged(session)
  }

  /** Nobody has looked into its mailbox for as long as is waited for that: nothing is queued for it any more (HD-03). */
  #passOverUnused(session: Session): void {
    if (session.subscriptions.size > 0) return
    if (session.mailbox?.passOver(this.#parts.limits.mailboxMs) === true) this.#announce(session)
  }

  #mailReturned(address: string): void {
    const session = this.directory.find(address)
    if (session !== undefined) this.#announce(session)
  }

  /** What a registration brings besides its name: a process to watch, a mailbox, an inheritance. */
  #equip(session: Session, wish: RegistrationWish, proof: Proof): void {
    const asked = { ...proof, pid: wish.pid, before: session.lifeline }
    session.lifeline = findLifeline(this.#parts.processes, asked)
    this.#parts.lifelines.follow(session)
    this.mail.equip(session, wish.mailbox)
    for (const changed of this.#succession.inherit(session, wish, proof)) this.#save(changed)
  }

  /** @param hasLapsed - nobody ended it: what waits for it is kept for whoever carries on */
  #end(session: Session, reason: 'replaced' | 'expired', hasLapsed: boolean): void {
    session.isOver = true
    this.directory.remove(session)
    this.#leases.drop(session)
    this.#parts.lifelines.drop(session)
    const isCarriedOn = this.#parts.heirs.leave(session) || reason === 'replaced'
    // A new holder of the address overwrites what was written down of the old one.
    const leavesMail = this.mail.leave(session, hasLapsed)
    if (reason === 'expired') this.#parts.ledger.sessionEnded(session, leavesMail)
    if (reason === 'expired' && !leavesMail) this.mail.end(session)
    session.mailbox?.wake()
    session.endStreams(reason)
    this.#announce(session)
    if (!session.isVisitor) for (const tell of this.#endObservers) tell(session.address, isCarriedOn)
  }
}
