/**
 * Who carries on for whom, so that what is sent to an address nobody answers at any more finds who took it over (OP-27).
 *
 * One address is carried on by one session at the most: whoever took it over last. Chains are resolved when they grow, so
 * that looking up costs the same however often a session was carried on.
 *
 * @see docs/http.md §4; HD-02
 */
import { BoundedMap } from '../../core/collections/bounded.ts'
import { addPredecessors, asPast, type Predecessor } from './predecessors.ts'

/** A session, as far as it is carried on and carries on. */
export interface Carrier {
  readonly address: string
  /** What it registered. */
  readonly entities: readonly string[]
  predecessors: readonly Predecessor[]
  /** The entities of those it carries on, newest first, `MAX_CARRIED_ENTITIES` at the most. */
  carriedEntities: readonly string[]
}

/** A hand-over. */
export interface Succession<One> {
  /** The address that is carried on, and what of its mail. */
  readonly former: Predecessor
  /** Who stands there, where somebody still does. */
  readonly predecessor: One | undefined
}

/** Entities a session hears for in the place of whom it carries on: as many as one may register. */
export const MAX_CARRIED_ENTITIES = 64

/** Sessions that ended of which is known whom they carried on; the one that left first is forgotten first. */
export const MAX_DEPARTED_CARRIERS = 1_024

/** What a session leaves to whoever carries it on later. */
type Legacy = Pick<Carrier, 'predecessors' | 'entities' | 'carriedEntities'>

export class Heirs<One extends Carrier> {
  readonly #byFormer = new Map<string, One>()
  readonly #departed = new BoundedMap<string, Legacy>({ most: MAX_DEPARTED_CARRIERS, atOnce: 0 })

  /** Who carries on for an address; undefined for nobody. */
  of(address: string): One | undefined {
    return this.#byFormer.get(address)
  }

  /** Takes over one that outlived a daemon. */
  restore(one: One): void {
    this.#index(one)
  }

  /**
   * Somebody stands at an address from now on, and carries on whom its last holder did.
   *
   * @param holder - that holder, where it is known
   * @returns who carried the address on until now
   */
  arrive(one: One, holder: One | undefined): One | undefined {
    const legacy = holder ?? this.#departed.get(one.address)
    this.#departed.delete(one.address)
    if (holder !== undefined) this.#release(holder)
    if (legacy !== undefined) {
      one.predecessors = addPredecessors(one.predecessors, legacy.predecessors, one.address)
      one.carriedEntities = united(one.carriedEntities, [...legacy.entities, ...legacy.carriedEntities])
      this.#index(one)
    }
    return this.#retire(one.address)
  }

  /** One session carries on an address, and whom that carried on. @returns whoever did until now */
  carryOn(heir: One, { former, predecessor }: Succession<One>): readonly One[] {
    const before = [this.#retire(heir.address), this.#retire(former.address)]
    const legacy = predecessor ?? this.#departed.get(former.address)
    this.#departed.delete(former.address)
    for (const one of [heir, predecessor]) if (one !== undefined) this.#release(one)
    const { predecessors = [], entities = [], carriedEntities = [] } = legacy ?? {}
    heir.predecessors = addPredecessors(heir.predecessors, [former, ...predecessors], heir.address)
    heir.carriedEntities = united([...entities, ...carriedEntities], heir.carriedEntities)
    if (predecessor !== undefined) {
      predecessor.predecessors = asPast(predecessor.predecessors)
      predecessor.carriedEntities = []
    }
    this.#index(heir)
    return before.flatMap((one) => (one === undefined || one === heir ? [] : [one]))
  }

  /** A session has ended. @returns whether somebody carries it on */
  leave(one: One): boolean {
    this.#release(one)
    if (this.#byFormer.has(one.address)) return true
    const { predecessors, entities, carriedEntities } = one
    if (predecessors.length + entities.length + carriedEntities.length > 0)
      this.#departed.set(one.address, { predecessors, entities, carriedEntities })
    return false
  }

  /** What is sent to an address is for whoever carried it on no more. */
  #retire(address: string): One | undefined {
    const carrier = this.#byFormer.get(address)
    if (carrier === undefined) return undefined
    this.#byFormer.delete(address)
    carrier.predecessors = asPast(carrier.predecessors, address)
    return carrier
  }

  #release(one: One): void {
    for (const { address } of one.predecessors)
      if (this.#byFormer.get(address) === one) this.#byFormer.delete(address)
  }

  #index(one: One): void {
    for (const { address, isPast } of one.predecessors) if (isPast !== true) this.#byFormer.set(address, one)
  }
}

function united(newer: readonly string[], older: readonly string[]): readonly string[] {
  return newer.length + older.length === 0
    ? NOTHING
    : [...new Set([...newer, ...older])].slice(0, MAX_CARRIED_ENTITIES)
}

/** One array, so that having none is always the same. */
const NOTHING: readonly string[] = []
