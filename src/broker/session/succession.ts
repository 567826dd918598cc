/**
 * Who may carry a session on, and what it gets: what waits for the former address, what the session does, and a place
 * among its heir's predecessors.
 *
 * A living session hands over to who shows its token, or to the same process as the kernel tells it; a dead one to
 * whoever names it.
 *
 * @see docs/http.md §4; HD-01, HD-02
 */
import { AgentdError } from '../../core/errors.ts'
import { hashToken } from './directory.ts'
import { activityCarriedOn, type RegistrationWish } from './facts.ts'
import type { Heirs } from '../kinship/heirs.ts'
import { findLifeline, isSameProcess, knownProcess, type Processes } from '../kinship/lifeline.ts'
import type { Leases } from './leases.ts'
import type { Mailboxes } from './mailboxes.ts'
import type { Session } from './session.ts'

/** What a registration brings along besides its body. */
export interface Proof {
  /** The process that asks, as the kernel says. */
  readonly peerPid?: number | undefined
  /** When the process of its `pid` began, as it says itself. */
  readonly pidStart?: string | undefined
  /** The token of the session named in `successor_of`. */
  readonly predecessorToken?: string | undefined
}

interface SuccessionParts {
  readonly processes: Processes
  readonly ring: { readonly lastSeq: number }
  readonly leases: Pick<Leases, 'isAlive'>
  readonly mailboxes: Mailboxes
  readonly heirs: Heirs<Session>
  readonly find: (address: string) => Session | undefined
}

export class Succession {
  readonly #parts: SuccessionParts

  constructor(parts: SuccessionParts) {
    this.#parts = parts
  }

  /**
   * To be asked before anything of the registration is done.
   *
   * @throws AgentdError `session-exists`, field `successor_of`, for a living session that nothing proves to be the heir's
   */
  require(wish: RegistrationWish, proof: Proof): void {
    const from = formerAddress(wish)
    const predecessor = from === undefined ? undefined : this.#parts.find(from)
    if (predecessor === undefined || predecessor.address === wish.address) return
    if (!this.#parts.leases.isAlive(predecessor) || this.#isProven(predecessor, wish, proof)) return
    throw new AgentdError(
      'session-exists',
      `${predecessor.address} lives; only who sends its token as "agentd-predecessor", or is the same process, carries it on.`,
      { field: 'successor_of' },
    )
  }

  /**
   * Moves what waits for the former address, or was left behind at it, to the session that carries on; what is sent there
   * from now on follows it (OP-27). What a living session carries on stays with it where nothing proves to be the same.
   *
   * @returns whoever else has changed by that
   */
  inherit(heir: Session, wish: RegistrationWish, proof: Proof): readonly Session[] {
    const from = formerAddress(wish)
    if (from === undefined || from === heir.address) return []
    const { find, heirs, leases, mailboxes, ring } = this.#parts
    const predecessor = find(from)
    const isAlive = predecessor !== undefined && leases.isAlive(predecessor)
    // Of one that died nobody knows what it does.
    if (isAlive) heir.activity ??= activityCarriedOn(predecessor.activity)
    const isMoved = mailboxes.inherit(heir, from, predecessor)
    const carrier = heirs.of(from)
    if (!isAlive && carrier !== undefined && carrier !== heir && this.#keeps(carrier, wish, proof))
      return predecessor === undefined ? [] : [predecessor]
    const former = { address: from, upToSeq: isMoved ? ring.lastSeq : 0 }
    const others = heirs.carryOn(heir, { former, predecessor })
    // It may have handed over its name.
    return predecessor === undefined ? others : [predecessor, ...others]
  }

  /** Whether what a session carries on stays with it. */
  #keeps(carrier: Session, wish: RegistrationWish, proof: Proof): boolean {
    return this.#parts.leases.isAlive(carrier) && !this.#isProven(carrier, wish, proof)
  }

  #isProven(predecessor: Session, { pid }: RegistrationWish, { peerPid, predecessorToken }: Proof): boolean {
    if (predecessorToken !== undefined && hashToken(predecessorToken) === predecessor.tokenHash) return true
    const { processes } = this.#parts
    if (isSameProcess(predecessor.registrant, knownProcess(processes, peerPid))) return true
    const lifeline = findLifeline(processes, { pid, before: undefined, peerPid })
    return (
      lifeline?.isProven === true &&
      isSameProcess(predecessor.lifeline, lifeline) &&
      predecessor.lifeline?.isProven === true
    )
  }
}

/** The address that a registration carries on; undefined for none. */
export function formerAddress({ handle, successorOf }: RegistrationWish): string | undefined {
  return successorOf === undefined ? undefined : `${handle}/${successorOf}`
}

/** The refusal of who asks for the address of a living session. */
export function sessionExists(address: string): AgentdError {
  return new AgentdError(
    'session-exists',
    `${address} is held by a living session; send its token to update it, or choose another session_id.`,
    { field: 'session_id' },
  )
}
