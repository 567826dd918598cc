/**
 * Who is called what: one name for each session of the daemon, and none for two.
 *
 * A name that was given stays: whatever title comes later, over a restart, with whoever carries the session on, and for
 * a session that comes back under its address. Who knows it by that name may go on doing so.
 *
 * @see docs/http.md §4
 */
import { BoundedMap } from '../../core/collections/bounded.ts'
import { nameStem, numberedName, plainNames, type NameFacts } from '../../protocol/address/name.ts'

/** Whoever bears a name. */
export interface Bearer {
  readonly address: string
  readonly facts: NameFacts
  /** Empty until it is given one. */
  name: string
}

/** Names of those who left that are kept for their return; the one who left first is forgotten first. */
export const MAX_DEPARTED_NAMES = 1_024

/** Stems of which is known from which number on one may be free; a forgotten one is counted through again. */
export const MAX_NAME_STEMS = 1_024

/** Behind a stem the first number is that of the second one. */
const FIRST_NUMBER = 2

export class Names {
  readonly #bearers = new Map<string, Bearer>()
  /** Stem → the least number that may be free behind it. */
  readonly #freeFrom = new BoundedMap<string, number>({ most: MAX_NAME_STEMS, atOnce: 0 })
  /** Address → the name its holder had when it left. Nobody is kept from taking it. */
  readonly #departed = new BoundedMap<string, string>({ most: MAX_DEPARTED_NAMES, atOnce: 0 })

  /**
   * Gives a name to who comes: the one it has from before, else that of whom it carries on, else a new one.
   *
   * @param predecessor - who stands at `formerAddress` just now; it hands its name over and gets another
   */
  give(bearer: Bearer, formerAddress?: string, predecessor?: Bearer): void {
    const own = bearer.name === '' ? this.#departed.get(bearer.address) : bearer.name
    const left = formerAddress === undefined ? undefined : this.#departed.get(formerAddress)
    const handed = predecessor?.name ?? left
    this.#departed.delete(bearer.address)
    if (own !== undefined && !this.#bearers.has(own)) return this.#call(bearer, own)
    if (predecessor !== undefined && handed !== undefined && predecessor !== bearer) {
      this.#call(bearer, handed)
      return this.#call(predecessor, this.#findFree(predecessor))
    }
    const isFree = handed !== undefined && !this.#bearers.has(handed)
    return this.#call(bearer, isFree ? handed : this.#findFree(bearer))
  }

  /** Keeps a name for whoever comes back to the address, from an earlier daemon too. */
  remember(address: string, name: string): void {
    this.#departed.set(address, name)
  }

  /** @param isKept - whether it may come back under its address */
  leave(bearer: Bearer, isKept: boolean): void {
    if (this.#bearers.get(bearer.name) !== bearer) return
    this.#free(bearer.name)
    if (isKept) this.remember(bearer.address, bearer.name)
  }

  #call(bearer: Bearer, name: string): void {
    bearer.name = name
    this.#bearers.set(name, bearer)
  }

  #findFree({ facts }: Bearer): string {
    for (const name of plainNames(facts)) if (!this.#bearers.has(name)) return name
    const stem = nameStem(facts)
    let number = this.#freeFrom.get(stem) ?? FIRST_NUMBER
    while (this.#bearers.has(numberedName(stem, number))) number += 1
    this.#freeFrom.set(stem, number + 1)
    return numberedName(stem, number)
  }

  /** Numbers stay small: the least one that is free is given first. */
  #free(name: string): void {
    this.#bearers.delete(name)
    const [, stem, digits] = /^(.+)-(\d{1,9})$/.exec(name) ?? []
    const from = stem === undefined ? undefined : this.#freeFrom.get(stem)
    if (stem !== undefined && from !== undefined && Number(digits) < from)
      this.#freeFrom.set(stem, Math.max(FIRST_NUMBER, Number(digits)))
  }
}
