/**
 * The dedup window: what is submitted again is answered again, and emitted once.
 *
 * @see ACQ-25, R-14
 */
import { hash } from 'node:crypto'
import type { AgentdError } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'

/** How many newer ids push an id out at the earliest. With a digest and a result each, all that is held is about 32 MiB. */
const WINDOW_IDS = 65_536

/** How long an id is remembered at least, in milliseconds, unless newer ids push it out. */
const WINDOW_MS = 10 * 60_000

/** What makes up one window. There is one generation more, the youngest, so that what is held is a fifth over it at the most. */
const GENERATIONS_PER_WINDOW = 5

/** How many ids are remembered at least, and for how long, in milliseconds. */
export interface WindowBounds {
  readonly ids: number
  readonly windowMs: number
}

/** What the window says of a submission. */
export type Repeat<Result> =
  | { readonly kind: 'first' }
  | { readonly kind: 'again'; readonly first: Entry<Result> }
  | { readonly kind: 'conflict' }

/** A submission that has been accepted; its result comes with the commit. */
export interface Entry<Result> {
  readonly digest: string
  result: Result | undefined
  /** Repeats that came before the first was answered. */
  waiting: ((outcome: Result | AgentdError) => void)[] | undefined
}

/**
 * A row of generations: the youngest takes new ids, and when it is full or old enough a younger one begins and the
 * oldest is forgotten whole. Forgetting so costs nothing per id.
 */
export class DedupWindow<Result> {
  readonly #clock: Clock
  /** How much one generation takes, and for how long. */
  readonly #generation: WindowBounds
  #youngest = new Map<string, Entry<Result>>()
  /** From the second youngest to the oldest. */
  #older: readonly Map<string, Entry<Result>>[] = []
  /** When the youngest generation began. */
  #begunMs: number

  constructor(clock: Clock, { ids, windowMs }: WindowBounds = { ids: WINDOW_IDS, windowMs: WINDOW_MS }) {
    this.#clock = clock
    this.#generation = {
      ids: Math.ceil(ids / GENERATIONS_PER_WINDOW),
      windowMs: windowMs / GENERATIONS_PER_WINDOW,
    }
    this.#begunMs = clock.monotonicMs()
  }

  /** Looks an id up; says nothing about it yet. */
  check(key: string, digest: string): Repeat<Result> {
    this.#turnOver()
    const entry = this.#find(key)
    if (entry === undefined) return { kind: 'first' }
    return entry.digest === digest ? { kind: 'again', first: entry } : { kind: 'conflict' }
  }

  /** Remembers an accepted submission. */
  remember(key: string, digest: string): Entry<Result> {
    const entry: Entry<Result> = { digest, result: undefined, waiting: undefined }
    this.#youngest.set(key, entry)
    return entry
  }

  /** What was not accepted after all may be sent again. */
  forget(key: string): void {
    this.#youngest.delete(key)
    for (const generation of this.#older) generation.delete(key)
  }

  #find(key: string): Entry<Result> | undefined {
    const found = this.#youngest.get(key)
    if (found !== undefined) return found
    for (const generation of this.#older) {
      const entry = generation.get(key)
      if (entry !== undefined) return entry
    }
    return undefined
  }

  #turnOver(): void {
    const { ids, windowMs } = this.#generation
    const ageMs = this.#clock.monotonicMs() - this.#begunMs
    if (this.#youngest.size < ids && ageMs < windowMs) return
    // The youngest generation took its last id before it was old enough; after another window none is worth remembering.
    const isOver = ageMs >= windowMs * (GENERATIONS_PER_WINDOW + 1)
    this.#older = isOver ? [] : [this.#youngest, ...this.#older.slice(0, GENERATIONS_PER_WINDOW - 1)]
    this.#youngest = new Map()
    this.#begunMs += ageMs
  }
}

/** What a resubmission is compared with, and what a disk has to give back. */
export function digestOf(scopeText: string, text: string): string {
  return hash('sha256', `${scopeText} ${text}`, 'base64')
}
