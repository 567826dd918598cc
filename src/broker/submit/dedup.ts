/**
 * The dedup window: what is submitted again is answered again, and emitted once.
 *
 * @see ACQ-25, R-14
 */
import type { AgentdError } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'
import { GrowingColumn } from '../../core/collections/growing-column.ts'
import { IdTable, NO_PLACE } from '../../core/collections/id-table.ts'
import { FixedTexts } from '../../core/collections/fixed-texts.ts'
import { DIGEST_LENGTH, digestOf } from '../ring/digest.ts'
import { KeptAnswers, type Answers } from './answers.ts'
import { fingerprintOf, type Content } from './fingerprint.ts'

/** How many newer ids push an id out. With a fingerprint and an answer each, all that is held is about 6 MiB. */
const WINDOW_IDS = 65_536

/** How long an id is remembered, in milliseconds, unless newer ids push it out. */
const WINDOW_MS = 10 * 60_000

/** How many ids are remembered, and for how long, in milliseconds. */
export interface WindowBounds {
  readonly ids: number
  readonly windowMs: number
}

/** What the window says of a submission. */
export type Repeat<Result> =
  | { readonly kind: 'first' }
  /** It was accepted before; undefined until its answer comes with the commit. */
  | { readonly kind: 'again'; readonly result: Result | undefined }
  | { readonly kind: 'conflict' }

/** Somebody who sent what was not answered yet. */
type Waiting<Result> = (outcome: Result | AgentdError) => void

const FIRST = { kind: 'first' } as const
const CONFLICT = { kind: 'conflict' } as const
const NOBODY: readonly never[] = []

/** In the place of a fingerprint: a digest is known instead. */
const BY_DIGEST = Number.NaN

/**
 * Columns by the place of an id, the oldest of which are forgotten as newer ids come, or as time passes. They are numbers
 * and octets: what is remembered of a submission is no object that the collector would have to copy and visit.
 */
export class DedupWindow<Result> {
  readonly #clock: Clock
  readonly #bounds: WindowBounds
  readonly #ids: IdTable
  readonly #fingerprints = new GrowingColumn(Float64Array)
  /** Of what a daemon before this one accepted: what it came to is all that was written down beside the id. */
  readonly #digests = new FixedTexts(DIGEST_LENGTH)
  readonly #answers: Answers<Result>
  readonly #rememberedMs = new GrowingColumn(Float64Array)
  /** The id that was last asked for and not there: most are remembered at once, and need not be looked for again. */
  #missed: string | undefined
  #askedMs = 0
  /** Repeats that came before the first was answered, by its id. */
  readonly #waiting = new Map<string, Waiting<Result>[]>()

  /** @param answers - how they are kept, by a number below `ids` */
  constructor(
    clock: Clock,
    bounds: WindowBounds = { ids: WINDOW_IDS, windowMs: WINDOW_MS },
    answers: Answers<Result> = new KeptAnswers(),
  ) {
    this.#clock = clock
    this.#bounds = bounds
    this.#ids = new IdTable(bounds.ids)
    this.#answers = answers
  }

  /** Looks an id up; says nothing about it yet. */
  check(key: string, content: Content): Repeat<Result> {
    this.#dropOld()
    const place = this.#ids.find(key)
    if (place === NO_PLACE) {
      this.#missed = key
      return FIRST
    }
    const row = this.#rowOf(place)
    if (!this.#isAt(row, content)) return CONFLICT
    return { kind: 'again', result: this.#answers.at(row, key) }
  }

  /** Remembers an accepted submission. @returns its place, for {@link settle} */
  remember(key: string, content: Content): number {
    const place = this.#add(key)
    this.#fingerprints.set(this.#rowOf(place), fingerprintOf(content))
    return place
  }

  /** As {@link remember}, of what another daemon accepted. */
  inherit(key: string, digest: string): number {
    const place = this.#add(key)
    const row = this.#rowOf(place)
    this.#fingerprints.set(row, BY_DIGEST)
    this.#digests.set(row, digest)
    return place
  }

  /** Waits for the answer to a submission that has none yet. */
  waitFor(key: string, waiting: Waiting<Result>): void {
    const others = this.#waiting.get(key)
    if (others === undefined) this.#waiting.set(key, [waiting])
    else others.push(waiting)
  }

  /** Its answer has come. @returns whoever waits for it */
  settle(key: string, place: number, result: Result): readonly Waiting<Result>[] {
    // A place is no other id's, whatever has come since.
    if (this.#ids.has(place)) this.#answers.put(this.#rowOf(place), result)
    return this.#takeWaiting(key)
  }

  /** What was not accepted after all may be sent again. @returns whoever waits for its answer */
  refuse(key: string): readonly Waiting<Result>[] {
    this.forget(key)
    return this.#takeWaiting(key)
  }

  forget(key: string): void {
    const place = this.#ids.find(key)
    if (place !== NO_PLACE) this.#ids.remove(place)
  }

  #isAt(row: number, content: Content): boolean {
    const known = this.#fingerprints.at(row)
    if (!Number.isNaN(known)) return known === fingerprintOf(content)
    return this.#digests.isAt(row, digestOf(content.scopeText, content.text))
  }

  #add(key: string): number {
    if (key !== this.#missed) {
      this.forget(key)
      this.#askedMs = this.#clock.monotonicMs()
    }
    this.#missed = undefined
    const place = this.#ids.add(key)
    const row = this.#rowOf(place)
    this.#answers.clear(row)
    this.#rememberedMs.set(row, this.#askedMs)
    return place
  }

  #takeWaiting(key: string): readonly Waiting<Result>[] {
    if (this.#waiting.size === 0) return NOBODY
    const waiting = this.#waiting.get(key) ?? NOBODY
    this.#waiting.delete(key)
    return waiting
  }

  /** Places are counted on and on; as many rows as there are ids are used again and again. */
  #rowOf(place: number): number {
    return place % this.#bounds.ids
  }

  #dropOld(): void {
    this.#askedMs = this.#clock.monotonicMs()
    const sinceMs = this.#askedMs - this.#bounds.windowMs
    for (let place = this.#ids.oldest; place !== NO_PLACE; place = this.#ids.oldest) {
      const row = this.#rowOf(place)
      if (this.#rememberedMs.at(row) >= sinceMs) return
      this.#ids.dropOldest()
      this.#answers.clear(row)
    }
  }
}
