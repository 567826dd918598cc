/**
 * Who is there on the other nodes of a realm, as they say, and for how long that counts: 30 s by this machine's own monotonic
 * clock, whatever theirs say. What the engine had kept for longer when it came counts no more: that is told by how much later
 * it has taken what it brought since, its own clock alone.
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
  /** When the engine took it, by its own clock. */
  readonly engineAtMs: number
  readonly silence: Timer
}

/** The engine's clock, by the last that it brought: what it said, and when that was by this machine's monotonic one. */
interface EngineClock {
  readonly atMs: number
  readonly heardAtMs: number
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
  /** Undefined until something has come. */
  #engine: EngineClock | undefined

  constructor(parts: RostersParts) {
    this.#parts = parts
  }

  /** Somebody has said something, this machine itself too. @param engineAtMs - when the engine took it */
  heard(engineAtMs: number): void {
    const before = this.#counting().length
    // The last and not the latest: a clock that was set back is right from then on.
    this.#engine = { atMs: engineAtMs, heardAtMs: this.#parts.clock.monotonicMs() }
    if (this.#counting().length !== before) this.#parts.onChange()
  }

  /**
   * What a node says of itself.
   *
   * @param at - whose it is @param engineAtMs - as {@link heard}
   */
  note(
    node: string,
    at: NodeOf,
    { sessions, state, untold }: Pick<Presence, 'sessions' | 'state' | 'untold'>,
    engineAtMs: number,
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
      engineAtMs,
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
        asOfMs: known.asOfMs - this.#ageOf(known),
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

  #stateOf(known: Known): RemoteNode['state'] {
    if (known.state === 'left') return 'left'
    const silentMs = this.#parts.clock.monotonicMs() - known.heardAtMs
    return silentMs + this.#ageOf(known) >= ROSTER_TTL_MS ? 'away' : 'here'
  }

  /** How old it was when it came, in milliseconds; 0 of what was on its way for no longer than it may be. */
  #ageOf({ engineAtMs, heardAtMs }: Known): number {
    if (this.#engine === undefined) return 0
    const ageMs = this.#engine.atMs - engineAtMs - (this.#engine.heardAtMs - heardAtMs)
    return ageMs >= ROSTER_TTL_MS ? ageMs : 0
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
