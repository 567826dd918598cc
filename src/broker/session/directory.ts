/**
 * The directory of sessions: by their address, by the bearer token of those that registered, and with a name of its own
 * for each.
 */
import { createHash } from 'node:crypto'
import { SetMap } from '../../core/collections/set-map.ts'
import { Names } from '../kinship/names.ts'
import type { Departed } from './ledger.ts'
import type { Session } from './session.ts'

export class SessionDirectory {
  readonly #byAddress = new Map<string, Session>()
  readonly #byTokenHash = new Map<string, Session>()
  /** In the order they came, which `arrival` counts. */
  readonly #byHandle = new SetMap<string, Session>()
  #arrivals = 0
  readonly #names = new Names()

  /** All there are, visitors too. */
  get count(): number {
    return this.#byAddress.size
  }

  /** Those with a token: what a bound of sessions counts. */
  get registered(): number {
    return this.#byTokenHash.size
  }

  /** In the order they came. */
  all(): IterableIterator<Session> {
    return this.#byAddress.values()
  }

  /** Those of one handle, in the order they came. */
  ofHandle(handle: string): ReadonlySet<Session> {
    return this.#byHandle.of(handle)
  }

  find(address: string): Session | undefined {
    return this.#byAddress.get(address)
  }

  findByToken(token: string): Session | undefined {
    return this.#byTokenHash.get(hashToken(token))
  }

  /** Whether it is this session that holds its address. */
  has(session: Session): boolean {
    return this.#byAddress.get(session.address) === session
  }

  /**
   * A session with the hash of its token, or a visitor without. It has a name then.
   *
   * @param formerAddress - whom it carries on, by name too
   */
  add(session: Session, formerAddress?: string): void {
    const predecessor = formerAddress === undefined ? undefined : this.find(formerAddress)
    this.#names.give(session, formerAddress, predecessor)
    this.#byAddress.set(session.address, session)
    this.#arrivals += 1
    session.arrival = this.#arrivals
    this.#byHandle.add(session.handle, session)
    if (session.tokenHash !== undefined) this.#byTokenHash.set(session.tokenHash, session)
  }

  /** Keeps the names of sessions that left for their return. */
  rememberNames(departed: readonly Departed[]): void {
    for (const { address, name } of departed) this.#names.remember(address, name)
  }

  remove(session: Session): void {
    this.#names.leave(session, session.tokenHash !== undefined)
    this.#byAddress.delete(session.address)
    this.#byHandle.delete(session.handle, session)
    if (session.tokenHash !== undefined) this.#byTokenHash.delete(session.tokenHash)
  }
}

/** Tokens are compared by their digests, so a lookup tells nothing about a token that is almost right. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}
