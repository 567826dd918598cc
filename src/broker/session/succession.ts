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
import { findLifeline, isSameProcess, knownProcess, type Processes } from '../kinship/lifeline.ts'
import type { Leases } from './leases.ts'
import type { Mailboxes } from './mailboxes.ts'
import { addPredecessors } from '../kinship/predecessors.ts'
import type { Session } from './session.ts'

/** What a registration brings along besides its body. */
export interface Proof {
  /** The process that asks, as the kernel says. */
  readonly peerPid?: number | undefined
  /** The token of the session named in `successor_of`. */
  readonly predecessorToken?: string | undefined
}

interface SuccessionParts {
  readonly processes: Processes
  readonly ring: { readonly lastSeq: number }
  readonly leases: Pick<Leases, 'isAlive'>
  readonly mailboxes: Mailboxes
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
   * Moves what waits for the former address, or was left behind at it, to the session that carries on.
   *
   * @returns the predecessor, where it still stands and has changed
   */
  inherit(heir: Session, wish: RegistrationWish): Session | undefined {
    const from = formerAddress(wish)
    if (from === undefined) return undefined
    const { find, leases, mailboxes, ring } = this.#parts
    const predecessor = find(from)
    // Of one that died nobody knows what it does.
    if (predecessor !== undefined && leases.isAlive(predecessor))
      heir.activity ??= activityCarriedOn(predecessor.activity)
    // Without mail it may have handed over its name.
    if (!mailboxes.inherit(heir, from, predecessor)) return predecessor
    const own = { address: from, upToSeq: ring.lastSeq }
    const more = [own, ...(predecessor?.predecessors ?? [])]
    heir.predecessors = addPredecessors(heir.predecessors, more, heir.address)
    return predecessor
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
