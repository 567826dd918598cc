/**
 * Where the calls of one connection come in: who calls, may it, what comes of it, and how much waits.
 */
import { messageOf } from '../../core/thrown.ts'
import type { Clock } from '../../core/clock.ts'
import type { AgentdSession } from '../../client/index.ts'
import type { ForeignWish } from '../../protocol/address/foreign.ts'
import type { CarriesOn } from '../../protocol/board/board.ts'
import { MAX_ASKS_IN_FLIGHT, MAX_CALLS_IN_FLIGHT } from './bounds.ts'
import { ToolFailure } from './failure.ts'
import { Identities, type CallerFacts, type HookedHere, type McpHost } from './identity.ts'
import type { Kept } from './kept.ts'
import { failed, isDefect, succeeded, type ToolOutcome } from './outcome.ts'
import { countUnread } from './pooled-session.ts'
import { SessionPool, type SessionPoolParts } from './session-pool.ts'
import { Semaphore } from './semaphore.ts'
import type { Tool } from './tool.ts'

/** What one connection is made from. */
export interface McpConnectionParts extends SessionPoolParts {
  /** The hosts that are known; any other has its model asked for a name. */
  readonly hosts: readonly McpHost[]
  readonly clock: Clock
  readonly carriesOn: CarriesOn
  /** What is done just now with what other principals sent over a link; absent, it is counted (FED-64). */
  readonly foreign?: (() => ForeignWish) | undefined
  /** The other principal that an event is of; absent where there is no link. */
  readonly foreignOf?: ((eventId: string) => string | undefined) | undefined
  /** Told in one sentence what the host is not told, for whoever reads the log. */
  readonly onTrouble: (sentence: string) => void
  /** Sessions of hooks in the process that calls; absent where nobody knows of any. */
  readonly hookedHere?: HookedHere | undefined
  /** Bounds the calls of all connections together; absent where there is one. */
  readonly allCalls?: Semaphore | undefined
}

/**
 * How a connection ends: at its host's wish (`ended`), torn away with whoever held it (`torn`), or with the daemon that
 * serves it, whose successor it comes back to (`closing`).
 */
export type ConnectionEnd = 'ended' | 'torn' | 'closing'

const TOO_MANY_CALLS = `At most ${MAX_CALLS_IN_FLIGHT} calls may be under way; wait for one to end.`
const TOO_MANY_ASKS = 'One question at a time: another call of this connection still waits for its answer.'

/** One `tools/call`. */
export interface McpCall {
  readonly tool: Tool
  readonly args: unknown
  readonly caller: Omit<CallerFacts, 'as'>
  readonly signal: AbortSignal
}

/** One connection: it remembers who calls, whatever revision of the protocol it turns out to speak. */
export class McpConnection {
  readonly #parts: McpConnectionParts
  readonly #identities: Identities
  readonly #pool: SessionPool
  readonly #calls = new Semaphore(MAX_CALLS_IN_FLIGHT, TOO_MANY_CALLS)
  /** Tokens of sessions to which something was handed over, and nothing has come since. */
  readonly #handed = new Set<string>()
  readonly #asks = new Semaphore(MAX_ASKS_IN_FLIGHT, TOO_MANY_ASKS)

  constructor(parts: McpConnectionParts) {
    this.#parts = parts
    this.#identities = new Identities(parts.hosts, parts.hookedHere)
    this.#pool = new SessionPool(parts)
  }

  /** Sees to it that the daemon is there; that it is not costs nothing before the first call. */
  async warm(): Promise<void> {
    try {
      await this.#pool.warm()
    } catch (error) {
      this.#parts.onTrouble(messageOf(error))
    }
  }

  /** Does what is asked. A failure is a result; nothing is thrown. */
  async call(call: McpCall): Promise<ToolOutcome> {
    try {
      const { allCalls } = this.#parts
      const serve = (): Promise<ToolOutcome> => this.#calls.run(() => this.#serve(call))
      return await (allCalls === undefined ? serve() : allCalls.run(serve))
    } catch (error) {
      return this.#fail(error, undefined)
    }
  }

  /** What the next connection of the same pipe goes on with. */
  get kept(): Kept {
    return { name: this.#identities.name, sessions: [...this.#pool.kept] }
  }

  /** Goes on with what an earlier connection was. */
  restore({ name, sessions }: Kept): void {
    this.#identities.restore(name)
    this.#pool.restore(sessions)
  }

  /** The end of the connection. */
  async leave(how: ConnectionEnd): Promise<void> {
    if (how === 'closing') return this.#pool.letGo()
    // Of a session that was registered here the daemon itself keeps what is unproved, for whoever carries on (OP-09).
    if (how === 'torn') await this.#pool.takeBack(this.#handed)
    return this.#pool.leave()
  }

  async #serve({ tool, args, caller, signal }: McpCall): Promise<ToolOutcome> {
    const identity = this.#identities.of({ ...caller, as: tool.nameIn(args) })
    const { session, ownLeases } = await this.#pool.take(identity)
    const { carriesOn, clock, foreignOf } = this.#parts
    const foreign = this.#parts.foreign?.() ?? 'count'
    const onHanded = (): void => void this.#handed.add(session.token)
    try {
      if (this.#handed.delete(session.token)) await provePastAnswer(session)
      const facts = await tool.run(args, {
        session,
        ownLeases,
        carriesOn,
        foreign,
        repositoryId: this.#parts.place.repositoryId,
        hiddenFrom: (eventId) => (foreign === 'show' ? undefined : foreignOf?.(eventId)),
        onHanded,
        listener: () => this.#pool.listener(identity),
        asks: this.#asks,
        clock,
        signal,
      })
      return succeeded(facts, await findUnread(session))
    } catch (error) {
      return this.#fail(signal.aborted ? givenUp(error) : error, await findUnread(session))
    }
  }

  #fail(error: unknown, unread: number | undefined): ToolOutcome {
    if (isDefect(error))
      this.#parts.onTrouble(error instanceof Error ? (error.stack ?? error.message) : String(error))
    return failed(error, unread)
  }
}

/** The host asks for something else: it has gone on past what the last answer handed over (OP-09). */
async function provePastAnswer(session: AgentdSession): Promise<void> {
  await session.inbox.drain({ handed: 'seen', peek: true, maxItems: 1, via: 'mcp' })
}

/** What the tool came to is told whether or not the daemon has gone since. */
async function findUnread(session: AgentdSession): Promise<number | undefined> {
  try {
    return await countUnread(session)
  } catch {
    return undefined
  }
}

/** Whatever an aborted call ends with, that it was aborted is the reason; nobody is likely to read it. */
function givenUp(cause: unknown): ToolFailure {
  return new ToolFailure('cancelled', 'The call was given up.', undefined, cause)
}
