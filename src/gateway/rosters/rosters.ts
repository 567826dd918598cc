/**
 * Who is there on the other nodes of a realm, as they say, and for how long that counts: 30 s by this machine's own monotonic
 * clock, whatever theirs say.
 *
 * @see FED-50, FED-51, FED-69
 */
import type { RemoteNode, RemoteSession } from '../../broker/remote/remote.ts'
import type { Clock, Timer } from '../../core/clock.ts'
import type { Presence } from '../../link/presence.ts'

/** How long a roster counts, in milliseconds: three that were missed. */
export const ROSTER_TTL_MS = 30_000

/** Nodes of one realm: as many as an estate names. */
const MAX_NODES = 256

/** A machine, and whose it is. */
interface NodeOf {
  readonly handle: string
  readonly node: string
  readonly org?: string | undefined
}

/** What is known of one node. */
interface Known {
  readonly at: NodeOf
  readonly state: 'here' | 'left'
  readonly sessions: readonly RemoteSession[]
  /** Whether it does not say who is there. */
  readonly isUntold: boolean
  /** The roster as text: while it is the same, so is the array. */
  readonly text: string
  readonly entities: ReadonlySet<string>
  readonly addresses: ReadonlySet<string>
  readonly heardAtMs: number
  readonly asOfMs: number
  readonly silence: Timer
}

interface RostersParts {
  readonly realm: string
  /** Under an accord, of which side this machine is. */
  readonly ownOrg: string | undefined
  readonly clock: Clock
  readonly offsetOf: (node: string) => number | undefined
  /** Told of every change: another roster, a newer time, a node that fell silent. */
  readonly onChange: () => void
}

export class Rosters {
  readonly #parts: RostersParts
  readonly #known = new Map<string, Known>()

  constructor(parts: RostersParts) {
    this.#parts = parts
  }

  /**
   * What a node says of itself now.
   *
   * @param at - whose it is
   */
  note(
    node: string,
    at: NodeOf,
    { sessions, state, untold }: Pick<Presence, 'sessions' | 'state' | 'untold'>,
  ): void {
    const { clock, onChange } = this.#parts
    const before = this.#known.get(node)
    if (before === undefined && this.#known.size >= MAX_NODES) return
    before?.silence.cancel()
    const text = JSON.stringify(sessions)
    const listed = before?.text === text ? before : listOf(sessions.map(toSession))
    this.#known.set(node, {
      at,
      sessions: listed.sessions,
      entities: listed.entities,
      addresses: listed.addresses,
      state,
      isUntold: untold === true,
      text,
      heardAtMs: clock.monotonicMs(),
      asOfMs: clock.nowMs(),
      silence: clock.after(ROSTER_TTL_MS, onChange),
    })
    onChange()
  }

  nodes(): readonly RemoteNode[] {
    const { offsetOf, ownOrg, realm } = this.#parts
    return [...this.#known].map(([node, known]) => {
      const offsetMs = offsetOf(node)
      return {
        node,
        realm,
        handle: known.at.handle,
        state: this.#stateOf(known),
        asOfMs: known.asOfMs,
        sessions: known.sessions,
        ...(known.isUntold && { isUntold: true }),
        ...(ownOrg !== undefined && { ownOrg }),
        ...(offsetMs !== undefined && { offsetMs }),
      }
    })
  }

  /** Whether a roster that counts names an entity. */
  knowsEntity(name: string): boolean {
    return this.#counting().some(({ entities }) => entities.has(name))
  }

  /** Those whose rosters that count name an entity. */
  holdersOf(name: string): ReadonlySet<string> {
    return new Set(this.#counting().flatMap(({ entities, at }) => (entities.has(name) ? at.handle : [])))
  }

  /** Whether a node has told of an address, however long ago. */
  knowsAddress(address: string): boolean {
    return [...this.#known.values()].some(
      ({ addresses, state }) => state === 'here' && addresses.has(address),
    )
  }

  /** Of a node that is none of the person's any more. */
  forget(isGone: (at: NodeOf) => boolean): void {
    for (const [node, { at, silence }] of this.#known) {
      if (!isGone(at)) continue
      silence.cancel()
      this.#known.delete(node)
    }
    this.#parts.onChange()
  }

  close(): void {
    for (const { silence } of this.#known.values()) silence.cancel()
    this.#known.clear()
  }

  #counting(): readonly Known[] {
    return [...this.#known.values()].filter((known) => this.#stateOf(known) === 'here')
  }

  #stateOf({ state, heardAtMs }: Known): RemoteNode['state'] {
    if (state === 'left') return 'left'
    return this.#parts.clock.monotonicMs() - heardAtMs >= ROSTER_TTL_MS ? 'away' : 'here'
  }
}

function toSession(session: Presence['sessions'][number]): RemoteSession {
  const { session_id: sessionId, repository_id: repositoryId, ...rest } = session
  return { ...rest, sessionId, ...(repositoryId !== undefined && { repositoryId }) }
}

function listOf(sessions: readonly RemoteSession[]): Pick<Known, 'sessions' | 'entities' | 'addresses'> {
  return {
    sessions,
    entities: new Set(sessions.flatMap(({ entities = [] }) => entities)),
    addresses: new Set(sessions.map(({ address }) => address)),
  }
}
