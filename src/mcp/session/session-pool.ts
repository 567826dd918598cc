/**
 * The sessions a connection speaks as: those that hooks have registered, and those it registers itself.
 *
 * @see docs/http.md §4; docs/runtimes.md §1.7
 */
import { messageOf } from '../../core/thrown.ts'
import { AgentdError, AgentdUnreachable } from '../../client/index.ts'
import type { AgentdClient, AgentdSession } from '../../client/index.ts'
import { newSessionId } from '../../core/ids.ts'
import { leaseIdOf } from '../../protocol/board/lease-key.ts'
import { FAREWELL_MS, MAX_POOLED_SESSIONS } from './bounds.ts'
import type { CallerIdentity } from './identity.ts'
import { ToolFailure } from './failure.ts'

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
  /** What a session that is registered here says about itself. */
  readonly place: { readonly cwd?: string | undefined; readonly pid?: number | undefined }
}

/** A session of this connection. */
export interface PooledSession {
  readonly session: AgentdSession
  /** Registered here, so ended here; a session that hooks registered is theirs to end. */
  readonly isOwn: boolean
  /** Leases taken over this connection, by `leaseKey`. */
  readonly ownLeases: Set<string>
}

/** A pooled session, and what waits for it. */
export interface TakenSession extends PooledSession {
  readonly unread: number
}

/** What a session without a mailbox answers when its mailbox is asked for. */
const NO_MAILBOX = 'not-found'

export class SessionPool {
  readonly #parts: SessionPoolParts
  readonly #pooled = new Map<string, PooledSession>()
  #client: AgentdClient | undefined
  /** One call at a time looks for its session, or two would register the same session. */
  #queue: Promise<unknown> = Promise.resolve()

  constructor(parts: SessionPoolParts) {
    this.#parts = parts
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
  take(identity: CallerIdentity): Promise<TakenSession> {
    const taken = this.#queue.then(() => this.#take(identity))
    this.#queue = taken.catch(() => {})
    return taken
  }

  /** Ends what was registered here and nothing else. Gives up where the daemon does not answer. */
  async leave(): Promise<void> {
    const own = [...this.#pooled.values()].filter(({ isOwn }) => isOwn)
    const farewell = Promise.allSettled(own.map((pooled) => endPooled(pooled))).then(() =>
      this.#client?.close(),
    )
    await Promise.race([farewell, new Promise((resolve) => void setTimeout(resolve, FAREWELL_MS).unref())])
  }

  async #take(identity: CallerIdentity): Promise<TakenSession> {
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

  async #keep(key: string, taken: TakenSession): Promise<TakenSession> {
    const { unread: _, ...pooled } = taken
    this.#pooled.delete(key)
    this.#pooled.set(key, pooled)
    const [oldest] = this.#pooled
    if (this.#pooled.size > MAX_POOLED_SESSIONS && oldest !== undefined) {
      this.#pooled.delete(oldest[0])
      if (oldest[1].isOwn) await endPooled(oldest[1])
    }
    return taken
  }

  /** @returns undefined when the session is over, or when hooks go on under another one */
  async #check(pooled: PooledSession, identity: CallerIdentity): Promise<TakenSession | undefined> {
    const left = pooled.isOwn ? undefined : this.#findHooked(identity)
    if (left !== undefined && left.token !== pooled.session.token) return undefined
    try {
      return await this.#withUnread(pooled)
    } catch (error) {
      if (isOver(error)) return undefined
      if (!(error instanceof AgentdUnreachable)) throw error
    }
    // The daemon is gone: the one that comes next knows the session where it had written it down.
    await this.#forgetClient()
    return this.#attach(pooled.session.token, pooled.ownLeases, pooled.isOwn)
  }

  async #open(identity: CallerIdentity, ownLeases: Set<string>): Promise<TakenSession> {
    const attached = await this.#attachLeft(identity, ownLeases)
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

  async #attachLeft(identity: CallerIdentity, ownLeases: Set<string>): Promise<TakenSession | undefined> {
    const hooked = this.#findHooked(identity)
    if (hooked === undefined) return undefined
    return this.#attach(hooked.token, new Set([...ownLeases, ...hooked.leaseKeys]), false)
  }

  async #attach(token: string, ownLeases: Set<string>, isOwn: boolean): Promise<TakenSession | undefined> {
    try {
      const session = await (await this.#reach()).attach(token)
      return await this.#withUnread({ session, isOwn, ownLeases })
    } catch (error) {
      if (isOver(error)) return undefined
      throw error
    }
  }

  async #register(
    { tool, instrument }: CallerIdentity,
    sessionId: string | undefined,
    ownLeases: Set<string>,
  ): Promise<TakenSession> {
    const client = await this.#reach()
    const facts = { instrument, sessionId, tool, mailbox: true, ...this.#parts.place }
    return this.#withUnread({ session: await client.session(facts), isOwn: true, ownLeases })
  }

  async #withUnread(pooled: PooledSession): Promise<TakenSession> {
    return { ...pooled, unread: await countUnread(pooled.session) }
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

/** How many messages wait; none where there is no mailbox for them to wait in. */
export async function countUnread(session: AgentdSession): Promise<number> {
  try {
    return await session.inbox.wait(0)
  } catch (error) {
    if (error instanceof AgentdError && error.code === NO_MAILBOX) return 0
    throw error
  }
}

/** A lease goes with its session. Nothing else would say so: the daemon keeps no table of leases. */
async function endPooled({ session, ownLeases }: PooledSession): Promise<void> {
  const releases = [...ownLeases].map((key) =>
    session.verb('agent_lock_release', { lease_id: leaseIdOf(key) }),
  )
  await Promise.allSettled(releases)
  await session.close()
}

function isOver(error: unknown): boolean {
  return error instanceof AgentdError && error.code === 'unauthenticated'
}
