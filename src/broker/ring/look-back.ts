/**
 * Looking back over a ring: what a search wants is found by what is known of each place, and only that is read.
 *
 * What this daemon has appended is known. What an earlier one left is learned a page at a time, the newest first,
 * when somebody looks that far back, or in the background behind a start (HD-12).
 */
import { AgentdError } from '../../core/errors.ts'
import { OWN_WORK, type Background } from './background.ts'
import { FilterIndex, type PlacedFacts } from './filter-index.ts'
import type { Search } from './facts-table.ts'
import type { Retained } from './retained.ts'

/** The ring as it is looked back over. */
export interface LookedOver {
  readonly firstSeq: number
  readonly lastSeq: number
  get(seq: number): Retained | undefined
  read(afterSeq: number, limit: number): readonly Retained[]
  readBack(beforeSeq: number, limit: number): readonly Retained[]
  /** What lies before a place, newest first, without its text; empty only where there is nothing. */
  factsBefore(seq: number, limit: number): readonly PlacedFacts[]
}

/** A look back as its readers have it; the rest is for the ring. */
export type LookBackReader = Pick<LookBack, 'learn' | 'after' | 'before'>

/** Places learned in one step: a millisecond or two, since the rows they stand in are large. */
export const LEARNED_PLACES = 128

/** Text that is read in one step, in characters; what is read is checked, and others wait meanwhile. */
const MAX_READ_LENGTH = 4 * 1024 * 1024

export class LookBack {
  readonly #ring: LookedOver
  readonly #index: FilterIndex

  constructor(ring: LookedOver) {
    this.#ring = ring
    this.#index = new FilterIndex(ring.lastSeq)
  }

  /** Octets that is kept in. */
  get bytes(): number {
    return this.#index.bytes
  }

  /**
   * A step towards knowing what stands behind a place.
   *
   * @returns whether there was nothing left to learn
   */
  learn(afterSeq = 0): boolean {
    const { firstSeq } = this.#index
    if (firstSeq <= Math.max(afterSeq + 1, this.#ring.firstSeq)) return true
    const page = this.#ring.factsBefore(firstSeq, LEARNED_PLACES)
    // A ring that began anew meanwhile has forgotten what was known, and knows all of itself.
    if (this.#index.firstSeq === firstSeq) this.#index.learn(page, page.at(-1)?.seq ?? this.#ring.firstSeq)
    return false
  }

  /**
   * The first of what is known behind a place that a search may want, in order, up to `limit`; fewer where it is
   * large. What is not learned is not found.
   */
  after(seq: number, limit: number, search: Search): readonly Retained[] {
    const places = this.#index.after(seq, limit, search)
    const [first = 0] = places
    return isRun(places) ? this.#ring.read(first - 1, places.length) : this.#read(places)
  }

  /** As {@link after}, before a place, newest first. */
  before(seq: number, limit: number, search: Search): readonly Retained[] {
    const places = this.#index.before(seq, limit, search)
    const [first = 0] = places
    return isRun(places) ? this.#ring.readBack(first + 1, places.length) : this.#read(places)
  }

  /** As {@link after}, the places alone, which are not read. */
  places(afterSeq: number, limit: number, search: Search): readonly number[] {
    return this.#index.after(afterSeq, limit, search)
  }

  /** These have their places now. */
  appended(batch: readonly Retained[]): void {
    for (const retained of batch) this.#index.append(retained)
  }

  /** The ring begins later than it did. */
  trimmed(): void {
    this.#index.dropBefore(this.#ring.firstSeq)
  }

  /** Nothing is retained at these places any more. */
  forgotten(seqs: Iterable<number>): void {
    for (const seq of seqs) this.#index.clear(seq)
    this.trimmed()
  }

  /** The ring began anew. */
  reset(): void {
    this.#index.reset(this.#ring.lastSeq)
  }

  #read(places: readonly number[]): readonly Retained[] {
    const found: Retained[] = []
    let length = 0
    for (const seq of places) {
      const retained = this.#ring.get(seq)
      if (retained === undefined) continue
      found.push(retained)
      length += retained.text.length
      if (length >= MAX_READ_LENGTH) break
    }
    return found
  }
}

/** Learns all there is, a step per turn of the loop. What the disk refuses is left to who looks back. */
export async function learnAhead(
  lookBack: LookBackReader,
  background: Pick<Background, 'until'>,
): Promise<void> {
  try {
    await background.until(() => lookBack.learn() || undefined, OWN_WORK)
  } catch (error) {
    if (!(error instanceof AgentdError)) throw error
  }
}

/** Whether places follow one another, up or down: they are read as one. */
function isRun(places: readonly number[]): boolean {
  const last = places.at(-1)
  return last !== undefined && Math.abs(last - (places[0] ?? last)) === places.length - 1
}
