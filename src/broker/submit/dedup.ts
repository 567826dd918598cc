/**
 * The dedup window: what is submitted again is answered again, and emitted once.
 *
 * @see ACQ-25, R-14
 */
import { hash } from 'node:crypto'
import type { AgentdError } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'

/** Ids one generation holds; two of them, with a digest and a result each, are about 32 MiB. */
const GENERATION_IDS = 65_536

/** How long an id is remembered at least, in milliseconds, unless newer ids push it out. */
const WINDOW_MS = 10 * 60_000

/** How much one generation holds, and for how long it is the younger one, in milliseconds. */
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
 * Two generations: the younger takes new ids, and when it is full or old enough it becomes the older one, and
 * what was the older is forgotten whole. An id is so remembered for one to two windows, and forgetting costs
 * nothing per id.
 */
export class DedupWindow<Result> {
  readonly #clock: Clock
  readonly #bounds: WindowBounds
  #younger = new Map<string, Entry<Result>>()
  #older = new Map<string, Entry<Result>>()
  /** When the younger generation began. */
  #begunMs: number

  constructor(clock: Clock, bounds: WindowBounds = { ids: GENERATION_IDS, windowMs: WINDOW_MS }) {
    this.#clock = clock
    this.#bounds = bounds
    this.#begunMs = clock.monotonicMs()
  }

  /** Looks an id up; says nothing about it yet. */
  check(key: string, digest: string): Repeat<Result> {
    this.#turnOver()
    const entry = this.#younger.get(key) ?? this.#older.get(key)
    if (entry === undefined) return { kind: 'first' }
    return entry.digest === digest ? { kind: 'again', first: entry } : { kind: 'conflict' }
  }

  /** Remembers an accepted submission. */
  remember(key: string, digest: string): Entry<Result> {
    const entry: Entry<Result> = { digest, result: undefined, waiting: undefined }
    this.#younger.set(key, entry)
    return entry
  }

  /** What was not accepted after all may be sent again. */
  forget(key: string): void {
    this.#younger.delete(key)
    this.#older.delete(key)
  }

  #turnOver(): void {
    const ageMs = this.#clock.monotonicMs() - this.#begunMs
    if (this.#younger.size < this.#bounds.ids && ageMs < this.#bounds.windowMs) return
    // A generation that nobody touched for two windows has nothing left worth remembering.
    this.#older = ageMs < 2 * this.#bounds.windowMs ? this.#younger : new Map()
    this.#younger = new Map()
    this.#begunMs = this.#clock.monotonicMs()
  }
}

/** What a resubmission is compared with, and what a disk has to give back. */
export function digestOf(scopeText: string, text: string): string {
  return hash('sha256', `${scopeText} ${text}`, 'base64')
}
