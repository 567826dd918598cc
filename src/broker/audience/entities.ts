/**
 * Who hears for an entity, who holds it, and which entities have ever been heard of.
 *
 * @see docs/http.md §9, AEQ-20, AEQ-21
 */
import { isEntity } from '../../aee/envelope/entity.ts'
import type { Ring } from '../ring/ring.ts'
import type { Session } from '../session/session.ts'
import type { Subscription } from '../stream/subscription.ts'
import { BoundedSet } from '../../core/collections/bounded.ts'
import { SetMap } from '../../core/collections/set-map.ts'

/** Names remembered after whoever held them has gone; the longest unheard of goes first. */
export const MAX_KNOWN_ENTITIES = 16_384

/** Names that are forgotten together. */
const FORGOTTEN_AT_ONCE = 1_024

export class Entities {
  readonly #sessions = new SetMap<string, Session>()
  readonly #streams = new SetMap<string, Session>()
  /** Who hears for an entity in the place of whom it carries on, the last to do so behind. */
  readonly #carriers = new SetMap<string, Session>()
  /** What each session is indexed under: its registration may change. */
  readonly #registered = new Map<Session, readonly string[]>()
  readonly #carried = new Map<Session, readonly string[]>()
  readonly #known = new BoundedSet<string>({ most: MAX_KNOWN_ENTITIES, atOnce: FORGOTTEN_AT_ONCE })
  /** Remembers names as well; asked once, when one is first missed, and undefined from then on. */
  #ring: Pick<Ring, 'entities'> | undefined

  constructor(ring: Pick<Ring, 'entities'>) {
    this.#ring = ring
  }

  /** Takes over what a session registered, or that it is gone. */
  update(session: Session, isPresent: boolean): void {
    this.#updateCarried(session, isPresent ? session.carriedEntities : [])
    const before = this.#registered.get(session) ?? []
    const now = isPresent ? session.entities : []
    if (before === now) return
    for (const name of before) this.#sessions.delete(name, session)
    for (const name of now) {
      this.#sessions.add(name, session)
      this.remember(name)
    }
    if (now.length > 0) this.#registered.set(session, now)
    else this.#registered.delete(session)
  }

  /** A stream that named entities has opened. */
  streamOpened(session: Session, { entities }: Pick<Subscription, 'entities'>): void {
    for (const name of entities) {
      this.#streams.add(name, session)
      this.remember(name)
    }
  }

  /** A stream has closed; another of the session may have named the same. */
  streamClosed(session: Session, { entities }: Pick<Subscription, 'entities'>): void {
    for (const name of entities) {
      const isHeld = [...session.subscriptions].some((other) => other.entities.includes(name))
      if (!isHeld) this.#streams.delete(name, session)
    }
  }

  /** Sessions that may hear what goes to an entity, by registration or by one of their streams, each once. */
  hearersOf(name: string): ReadonlySet<Session> {
    return new Set([...this.#sessions.of(name), ...this.#streams.of(name)])
  }

  /** Who carries on a session that heard for an entity; the last, where several do (OP-27). */
  carrierOf(name: string): Session | undefined {
    return [...this.#carriers.of(name)].at(-1)
  }

  /** Sessions that speak for an entity. */
  holdersOf(name: string): Iterable<Session> {
    return this.#sessions.of(name)
  }

  /** Whether an entity has been there before, though nobody may hear for it now. */
  isKnown(name: string): boolean {
    if (this.#sessions.has(name) || this.#streams.has(name) || this.#known.has(name)) return true
    for (const retained of this.#ring?.entities() ?? []) this.remember(retained)
    this.#ring = undefined
    return this.#known.has(name)
  }

  /** Every name heard of, for a hint. */
  get known(): Iterable<string> {
    return this.#known
  }

  remember(name: string): void {
    // What nobody could register nobody can hear for.
    if (isEntity(name)) this.#known.add(name)
  }

  #updateCarried(session: Session, now: readonly string[]): void {
    const before = this.#carried.get(session) ?? []
    if (before === now || before.length + now.length === 0) return
    for (const name of before) this.#carriers.delete(name, session)
    for (const name of now) this.#carriers.add(name, session)
    if (now.length > 0) this.#carried.set(session, now)
    else this.#carried.delete(session)
  }
}
