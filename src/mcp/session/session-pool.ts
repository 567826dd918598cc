/**
 * The sessions a connection speaks as: those that hooks have registered, and those it registers itself.
 *
 * @see docs/http.md §4; docs/runtimes.md §1.7
 */
import { messageOf } from '../../core/thrown.ts'
import { AgentdError } from '../../core/errors.ts'
import { AgentdUnreachable } from '../../client/index.ts'
import type { AgentdClient, AgentdSession } from '../../client/index.ts'
import { newSessionId } from '../../core/ids.ts'
import { MAX_POOLED_SESSIONS } from './bounds.ts'
import type { CallerIdentity } from './identity.ts'
import type { CallerPlace } from './place.ts'
import type { KeptSession } from './kept.ts'
import { ToolFailure } from './failure.ts'
import { countUnread, endPooled, isOver, withinFarewell, type PooledSession } from './pooled-session.ts'

/** What a hook has left of a session it registered. */
export interface HookedSession {
  readonly token: string
  /** Leases the session is known to hold, by `leaseKey`. */
  readonly leaseKeys: readonly string[]
}

/** What the sessions need of the process they are in. */
export interface SessionPoolParts {
  /** Connects to the daemon, and starts it where that is needed and allowed. */
  readonly reach: () => Promise<AgentdClient>
  /** What a hook of this runtime's session has left; undefined when there is nothing. */
  readonly findHooked: (runtime: string, sessionId: string) => HookedSession | undefined
  readonly place: CallerPlace
}

export class SessionPool {
  readonly #parts: SessionPoolParts
  readonly #pooled = new Map<string, PooledSession>()
  /** Registered by the connection before this one, which a daemon that has gone served; each is looked for once. */
  readonly #kept = new Map<string, KeptSession>()
  #client: AgentdClient | undefined
  /** Whose stream is told of; set when first asked for, and anew when it is over. */
  #listener: AgentdSession | undefined
  /** One call at a time looks for its session, or two would register the same session. */
  #queue: Promise<unknown> = Promise.resolve()

  constructor(parts: SessionPoolParts) {
    this.#parts = parts
  }

  /** What was registered over this connection, for the one that comes after it. */
  get kept(): readonly KeptSession[] {
    const own = [...this.#pooled].filter(([, { isOwn }]) => isOwn)
    const taken = own.map(([key, { session, ownLeases }]) => ({
      key,
      token: session.token,
      leases: [...ownLeases],
    }))
    return [...this.#kept.values(), ...taken]
  }

  /** Goes on with what an earlier connection of the same pipe had registered. */
  restore(kept: readonly KeptSession[]): void {
    for (const one of kept.slice(-MAX_POOLED_SESSIONS)) this.#kept.set(one.key, one)
  }

  /** Connects in advance, so that the daemon is there before it is needed. */
  async warm(): Promise<void> {
    await this.#reach()
  }

  /**
   * The live session of an identity. It is looked at before every use: the daemon may have been restarted, and
   * hooks may have registered the session anew.
   *
   * @throws AgentdError, AgentdUnreachable or ToolFailure
   */
  take(identity: CallerIdentity): Promise<PooledSession> {
    const taken = this.#queue.then(() => this.#take(identity))
    this.#queue = taken.catch(() => {})
    return taken
  }

  /**
   * A session without a mailbox beside that of the identity: what reads its stream takes nothing from that one.
   *
   * @throws as {@link take}
   */
  listener(identity: CallerIdentity): Promise<AgentdSession> {
    const made = this.#queue.then(() => this.#openListener(identity))
    this.#queue = made.catch(() => {})
    return made
  }

  async #openListener({ tool, instrument }: CallerIdentity): Promise<AgentdSession> {
    const client = await this.#reach()
    const known = this.#listener
    this.#listener = undefined
    try {
      if (known !== undefined) this.#listener = await client.attach(known.token)
    } catch (error) {
      if (!isOver(error)) throw error
    }
    const facts = { instrument, sessionId: newSessionId(), tool, ...this.#parts.place }
    this.#listener ??= await client.session(facts)
    return this.#listener
  }

  /** Ends what was registered here and nothing else. Gives up where the daemon does not answer. */
  async leave(): Promise<void> {
    const own = [...this.#pooled.values()].filter(({ isOwn }) => isOwn)
    const ended = own.map((pooled) => endPooled(pooled))
    if (this.#listener !== undefined) ended.push(this.#listener.close())
    await withinFarewell(Promise.allSettled(ended).then(() => this.#client?.close()))
  }

  /** Lets go of everything and ends nothing: the same pipe comes back to it. */
  async letGo(): Promise<void> {
    await withinFarewell(Promise.resolve(this.#client?.close()))
  }

  /** What a hook's session was handed over this connection, and nothing proves to have been shown, waits again. */
  async takeBack(tokens: ReadonlySet<string>): Promise<void> {
    const theirs = [...this.#pooled.values()].filter(
      ({ session, isOwn }) => !isOwn && tokens.has(session.token),
    )
    await withinFarewell(
      Promise.allSettled(
        theirs.map(({ session }) => session.inbox.drain({ handed: 'returned', peek: true, maxItems: 1 })),
      ),
    )
  }

  async #take(identity: CallerIdentity): Promise<PooledSession> {
    const { key } = identity
    const known = this.#pooled.get(key)
    const live = known === undefined ? undefined : await this.#check(known, identity)
    if (live !== undefined) return this.#keep(key, live)
    const ownLeases = known?.ownLeases ?? new Set<string>()
    try {
      return await this.#keep(key, await this.#open(identity, ownLeases))
    } catch (error) {
      if (!(error instanceof AgentdUnreachable)) throw error
    }
    // The daemon went after it was last heard of; nothing was done yet, so it is tried once more.
    await this.#forgetClient()
    return this.#keep(key, await this.#open(identity, ownLeases))
  }

  async #keep(key: string, pooled: PooledSession): Promise<PooledSession> {
    this.#pooled.delete(key)
    this.#pooled.set(key, pooled)
    const [oldest] = this.#pooled
    if (this.#pooled.size > MAX_POOLED_SESSIONS && oldest !== undefined) {
      this.#pooled.delete(oldest[0])
      if (oldest[1].isOwn) await endPooled(oldest[1])
    }
    return pooled
  }

  /** @returns undefined when the session is over, or when hooks go on under another one */
  async #check(pooled: PooledSession, identity: CallerIdentity): Promise<PooledSession | undefined> {
    const left = pooled.isOwn ? undefined : this.#findHooked(identity)
    if (left !== undefined && left.token !== pooled.session.token) return undefined
    try {
      // Any answer shows that the daemon knows it.
      await countUnread(pooled.session)
      return pooled
    } catch (error) {
      if (isOver(error)) return undefined
      if (!(error instanceof AgentdUnreachable)) throw error
    }
    // The daemon is gone: the one that comes next knows the session where it had written it down.
    await this.#forgetClient()
    return this.#attach(pooled.session.token, pooled.ownLeases, pooled.isOwn)
  }

  async #open(identity: CallerIdentity, ownLeases: Set<string>): Promise<PooledSession> {
    const attached = (await this.#attachLeft(identity, ownLeases)) ?? (await this.#attachKept(identity))
    if (attached !== undefined) return attached
    try {
      return await this.#register(identity, identity.sessionId, ownLeases)
    } catch (error) {
      if (!(error instanceof AgentdError) || error.code !== 'session-exists') throw error
    }
    // A hook was faster, or a server that was killed has left its registration behind.
    const late = await this.#attachLeft(identity, ownLeases)
    return late ?? this.#register(identity, newSessionId(), ownLeases)
  }

  async #attachLeft(identity: CallerIdentity, ownLeases: Set<string>): Promise<PooledSession | undefined> {
    const hooked = this.#findHooked(identity)
    if (hooked === undefined) return undefined
    return this.#attach(hooked.token, new Set([...ownLeases, ...hooked.leaseKeys]), false)
  }

  /** @returns undefined when there was none, or it is over */
  #attachKept({ key }: CallerIdentity): Promise<PooledSession | undefined> {
    const kept = this.#kept.get(key)
    this.#kept.delete(key)
    return kept === undefined
      ? Promise.resolve(undefined)
      : this.#attach(kept.token, new Set(kept.leases), true)
  }

  async #attach(token: string, ownLeases: Set<string>, isOwn: boolean): Promise<PooledSession | undefined> {
    try {
      const session = await (await this.#reach()).attach(token)
      return { session, isOwn, ownLeases }
    } catch (error) {
      if (isOver(error)) return undefined
      throw error
    }
  }

  async #register(
    { tool, instrument }: CallerIdentity,
    sessionId: string | undefined,
    ownLeases: Set<string>,
  ): Promise<PooledSession> {
    const client = await this.#reach()
    const facts = { instrument, sessionId, tool, mailbox: true, agent: true, ...this.#parts.place }
    return { session: await client.session(facts), isOwn: true, ownLeases }
  }

  #findHooked({ runtime, hookIds }: CallerIdentity): HookedSession | undefined {
    if (runtime === undefined) return undefined
    for (const id of hookIds) {
      const hooked = this.#parts.findHooked(runtime, id)
      if (hooked !== undefined) return hooked
    }
    return undefined
  }

  async #reach(): Promise<AgentdClient> {
    if (this.#client !== undefined) return this.#client
    try {
      this.#client = await this.#parts.reach()
      return this.#client
    } catch (error) {
      if (error instanceof AgentdUnreachable) throw error
      const message = messageOf(error)
      throw new ToolFailure('unreachable', message, undefined, error)
    }
  }

  async #forgetClient(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    await client?.close()
  }
}
