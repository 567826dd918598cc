/**
 * The dedup window: a frame submitted again is answered again, and emitted once.
 *
 * @see ACQ-25, design R-14
 */
import { createHash } from 'node:crypto'
import type { Clock } from '../core/clock.ts'

/** Ids remembered at the most; with a digest and a result each, about 16 MiB. */
const MAX_IDS = 65_536

/** How long an id is remembered, in milliseconds, unless newer ids push it out. */
const WINDOW_MS = 10 * 60_000

/** What the window says of a submission. */
export type Repeat<Result> =
  | { readonly kind: 'first' }
  | { readonly kind: 'again'; readonly first: Entry<Result> }
  | { readonly kind: 'conflict' }

/** A submission that has been accepted; its result comes with the commit. */
export interface Entry<Result> {
  readonly digest: string
  readonly atMs: number
  result: Result | undefined
  /** Repeats that came before the first was answered. */
  waiting: ((result: Result) => void)[] | undefined
}

export class DedupWindow<Result> {
  readonly #entries = new Map<string, Entry<Result>>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#entries.size
  }

  /** Looks an id up; says nothing about it yet. */
  check(frameId: string, content: string): Repeat<Result> {
    const entry = this.#entries.get(frameId)
    if (entry === undefined || entry.atMs < this.#clock.monotonicMs() - WINDOW_MS) return { kind: 'first' }
    return entry.digest === digestOf(content) ? { kind: 'again', first: entry } : { kind: 'conflict' }
  }

  /** Remembers an accepted submission. */
  remember(frameId: string, content: string): Entry<Result> {
    const atMs = this.#clock.monotonicMs()
    const entry: Entry<Result> = { digest: digestOf(content), atMs, result: undefined, waiting: undefined }
    this.#entries.delete(frameId)
    this.#entries.set(frameId, entry)
    this.#forgetOld(atMs)
    return entry
  }

  /** Insertion order is age order, so the old ones stand first. */
  #forgetOld(nowMs: number): void {
    for (const [frameId, entry] of this.#entries) {
      if (this.#entries.size <= MAX_IDS && entry.atMs >= nowMs - WINDOW_MS) break
      this.#entries.delete(frameId)
    }
  }
}

function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('base64')
}
