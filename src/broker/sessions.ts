/**
 * Who is there: registered sessions, and the visitors that only hold a stream.
 *
 * @see design/wire.md §4, product demand 4
 */
import { createHash } from 'node:crypto'
import { AgentdError } from '../core/errors.ts'
import type { Clock, Timer } from '../core/clock.ts'
import { newSessionId, newToken } from '../core/ids.ts'
import { formatAddress } from '../protocol/handle.ts'
import type { SessionRequest } from '../protocol/requests.ts'
import type { BrokerLimits } from './limits.ts'
import { Mailbox } from './mailbox.ts'
import type { MemoryRing } from './memory-ring.ts'
import { Session, type SessionFacts } from './session.ts'

/** What the registry asks of the machine: whether a process is still the one that registered. */
export interface Processes {
  /** A text that differs for two processes of the same id; undefined when there is none. */
  startTime(pid: number): string | undefined
}

/** What came of a registration. `token` is only ever told here. */
export interface Registration {
  readonly kind: 'created' | 'updated' | 'taken-over'
  readonly session: Session
  readonly token: string
}

/** A registration's facts and the two wishes that are not facts. */
type RegistrationFacts = SessionFacts & {
  readonly mailbox: boolean
  readonly successorOf: string | undefined
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
  readonly ring: MemoryRing
  readonly processes: Processes
  readonly limits: BrokerLimits
  readonly principal: string
  readonly observer: SessionObserver
}

export class Sessions {
  readonly #parts: SessionsParts
  readonly #byAddress = new Map<string, Session>()
  readonly #byTokenHash = new Map<string, Session>()
  readonly #leases = new Map<Session, Timer>()

  constructor(parts: SessionsParts) {
    this.#parts = parts
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
    const facts = this.#factsOf(request)
    const holder = this.#byAddress.get(facts.address)
    if (holder !== undefined && holder === bearer && token !== undefined) {
      this.#update(holder, facts)
      return { kind: 'updated', session: holder, token }
    }
    if (holder !== undefined && this.isAlive(holder)) throw sessionExists(facts.address)
    if (holder === undefined && this.count >= this.#parts.limits.sessions) throw tooManySessions()
    if (holder !== undefined) this.#end(holder, 'replaced')
    return this.#admit(facts, holder)
  }

  /**
   * The visitor that an unregistered stream stands for: on the roster while it is open.
   *
   * @throws AgentdError `session-exists` when a registered session holds the address
   */
  visit(facts: Omit<SessionFacts, 'address' | 'draftedWith'>): Session {
    const address = formatAddress(facts.handle, facts.instrument, facts.sessionId)
    const holder = this.#byAddress.get(address)
    if (holder?.isVisitor === true) return holder
    if (holder !== undefined) throw sessionExists(address)
    const session = new Session({ ...facts, address, draftedWith: `~${facts.instrument}` }, this.#parts.clock)
    this.#byAddress.set(address, session)
    return session
  }

  /** A session holds a stream, or its process lives, or it was heard of within the lease. */
  isAlive(session: Session): boolean {
    if (session.subscriptions.size > 0 || this.#remainingLeaseMs(session) > 0) return true
    const { pid } = session.facts
    return (
      pid !== undefined && session.pidStartTime !== undefined && this.#startTime(pid) === session.pidStartTime
    )
  }

  /** When a session would be forgotten if nothing were heard of it, wall time in milliseconds. */
  expiresAtMs(session: Session): number {
    return this.#parts.clock.nowMs() + Math.max(0, this.#remainingLeaseMs(session))
  }

  /** Ends a session at its own wish. */
  close(session: Session): void {
    this.#end(session, 'expired')
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
    for (const timer of this.#leases.values()) timer.cancel()
    this.#leases.clear()
  }

  #factsOf(request: SessionRequest): RegistrationFacts {
    const {
      instrument,
      session_id = newSessionId(),
      tool = 'other',
      handle = this.#parts.principal,
    } = request
    const draftedWith = request.drafted_with ?? `~${instrument}`
    if (draftedWith === this.#parts.principal) {
      throw identityMismatch('drafted_with', '"drafted_with" must be an instrument, not the principal.')
    }
    if (handle !== this.#parts.principal && handle !== draftedWith) {
      throw identityMismatch(
        'handle',
        `A session goes by ${this.#parts.principal} or by its own "drafted_with".`,
      )
    }
    const { pid, title, cwd, repository, worktree, branch, entities = [] } = request
    return {
      address: formatAddress(handle, instrument, session_id),
      handle,
      instrument,
      sessionId: session_id,
      tool,
      draftedWith,
      pid,
      title,
      cwd,
      repository,
      worktree,
      branch,
      entities,
      mailbox: request.mailbox ?? false,
      successorOf: request.successor_of,
    }
  }

  #admit(facts: RegistrationFacts, predecessor: Session | undefined): Registration {
    const token = newToken()
    const session = new Session(facts, this.#parts.clock)
    this.#byAddress.set(session.address, session)
    this.#byTokenHash.set(hashToken(token), session)
    session.tokenHash = hashToken(token)
    this.#equip(session, facts)
    // A new holder of the same address is the same agent come back: what waited for it still does.
    if (predecessor?.mailbox !== undefined && session.mailbox !== undefined) {
      predecessor.mailbox.moveTo(session.mailbox)
    }
    this.#armLease(session)
    this.#parts.observer.changed(session)
    return { kind: predecessor === undefined ? 'created' : 'taken-over', session, token }
  }

  #update(session: Session, facts: RegistrationFacts): void {
    session.facts = facts
    session.touch(this.#parts.clock)
    this.#equip(session, facts)
    this.#parts.observer.changed(session)
  }

  /** What a registration brings besides its name: a process to watch, a mailbox, an inheritance. */
  #equip(session: Session, facts: RegistrationFacts): void {
    session.pidStartTime = facts.pid === undefined ? undefined : this.#startTime(facts.pid)
    if (facts.mailbox) session.mailbox ??= new Mailbox(this.#parts.ring)
    else session.mailbox = undefined
    const predecessor = this.#byAddress.get(`${facts.handle}/${facts.successorOf ?? ''}`)
    if (predecessor === undefined || predecessor === session || session.mailbox === undefined) return
    predecessor.mailbox?.moveTo(session.mailbox)
    predecessor.mailbox = undefined
    this.#parts.observer.changed(predecessor)
  }

  #end(session: Session, reason: 'replaced' | 'expired'): void {
    session.isOver = true
    this.#byAddress.delete(session.address)
    if (session.tokenHash !== undefined) this.#byTokenHash.delete(session.tokenHash)
    this.#leases.get(session)?.cancel()
    this.#leases.delete(session)
    this.#parts.observer.ended(session, reason)
    this.#parts.observer.changed(session)
  }

  /** One timer per session, set for the end of its lease and moved on while it lives: nothing polls. */
  #armLease(session: Session): void {
    const delayMs = Math.max(1_000, this.#remainingLeaseMs(session))
    const timer = this.#parts.clock.after(delayMs, () => {
      if (!this.isAlive(session)) return this.#end(session, 'expired')
      // Alive by a stream or a process: looked at again one lease later.
      if (this.#remainingLeaseMs(session) <= 0) session.touchLease(this.#parts.clock)
      return this.#armLease(session)
    })
    this.#leases.set(session, timer)
  }

  #remainingLeaseMs(session: Session): number {
    return session.leasedAtMs + this.#parts.limits.leaseMs - this.#parts.clock.monotonicMs()
  }

  #startTime(pid: number): string | undefined {
    return this.#parts.processes.startTime(pid)
  }
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

function identityMismatch(field: string, message: string): AgentdError {
  return new AgentdError('sender-identity-mismatch', message, { field })
}
