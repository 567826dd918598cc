/**
 * Which session is calling, from what its host says. Nothing is guessed: a host that says nothing has its model
 * asked for a name.
 *
 * @see docs/runtimes.md §§1.7, 2.2, §10 rule 8
 */
import { AgentdError } from '../../core/errors.ts'
import { isInstrument, isSessionId } from '../../protocol/address/handle.ts'

/** Who a call says it is from. */
export interface CallerFacts {
  /** The host's own name, from `clientInfo`. */
  readonly clientName: string | undefined
  /** The `_meta` of this call. */
  readonly meta: Readonly<Record<string, unknown>>
  /** The name the model gave; counts only when the host says nothing. */
  readonly as: string | undefined
}

/** A session of a runtime. */
export interface CallerIdentity {
  /** Tells one identity of a connection from another. */
  readonly key: string
  /** Under which ids a hook of the same session may have registered it, likeliest first; none when it was named. */
  readonly hookIds: readonly string[]
  /** The runtime's id, as hooks and set-up know it; undefined for a host that is none of them. */
  readonly runtime: string | undefined
  /** Tool class. */
  readonly tool: string
  readonly instrument: string
  /** Undefined: a new one each time it registers. */
  readonly sessionId: string | undefined
}

/** A host of MCP servers that is known. */
export interface McpHost {
  /** The runtime's id, as hooks and set-up know it. */
  readonly runtime: string
  readonly tool: string
  /** How `clientInfo.name` begins, in lower case. */
  readonly clients: readonly string[]
  /** Ids of the calling session, likeliest first, whatever they are. */
  readonly sessionIds: (meta: CallerFacts['meta']) => readonly unknown[]
}

/** Tool class of a host that is none of them. */
const OTHER_TOOL = 'other'

/** Ids of the living sessions that hooks of a runtime have registered for the process that calls. */
export type HookedHere = (runtime: string) => readonly string[]

/** Who calls over one connection, and the name that was given once. */
export class Identities {
  readonly #hosts: readonly McpHost[]
  readonly #hookedHere: HookedHere
  #name: string | undefined

  constructor(hosts: readonly McpHost[], hookedHere: HookedHere = () => []) {
    this.#hosts = hosts
    this.#hookedHere = hookedHere
  }

  /** The name that was given, for the connection that comes after this one. */
  get name(): string | undefined {
    return this.#name
  }

  /** The name that was given before. */
  restore(name: string | undefined): void {
    this.#name ??= name !== undefined && isInstrument(name) ? name : undefined
  }

  /** @throws AgentdError `field-missing` or `field-invalid`, field `as`, when the host says nothing */
  of(caller: CallerFacts): CallerIdentity {
    const name = caller.clientName?.toLowerCase() ?? ''
    const host = this.#hosts.find(({ clients }) => clients.some((client) => name.startsWith(client)))
    const said = sessionIdsIn(host?.sessionIds(caller.meta) ?? [])
    const ids = said.length > 0 ? said : this.#idsOfProcess(host)
    const [sessionId] = ids
    if (host !== undefined && sessionId !== undefined) {
      const { runtime, tool } = host
      return { key: `${runtime}:${sessionId}`, hookIds: ids, runtime, tool, instrument: tool, sessionId }
    }
    if (caller.as !== undefined) this.#name = requireName(caller.as)
    if (this.#name === undefined) throw nameless()
    const tool = host?.tool ?? OTHER_TOOL
    const common = { runtime: host?.runtime, tool, instrument: this.#name, sessionId: undefined }
    return { key: `as:${this.#name}`, hookIds: [], ...common }
  }

  /** A host that says nothing, in whose process one session of hooks lives: that is who calls (OP-08). */
  #idsOfProcess(host: McpHost | undefined): readonly string[] {
    if (host === undefined || this.#name !== undefined) return []
    const ids = sessionIdsIn(this.#hookedHere(host.runtime))
    // Which of several calls nobody knows, and nothing is guessed.
    return ids.length === 1 ? ids : []
  }
}

function sessionIdsIn(said: readonly unknown[]): readonly string[] {
  return said.flatMap((id) => (typeof id === 'string' && isSessionId(id) ? [id] : []))
}

function requireName(name: string): string {
  if (isInstrument(name)) return name
  throw new AgentdError('field-invalid', `"as" must be a short name: 1 to 32 of a-z, 0-9 and hyphen.`, {
    field: 'as',
  })
}

function nameless(): AgentdError {
  const message =
    'This host does not say which session is calling. Call again with "as", a short name for this session ' +
    'such as "reviewer" (a-z, 0-9, hyphen). It is remembered for the connection.'
  return new AgentdError('field-missing', message, { field: 'as' })
}
