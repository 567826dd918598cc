/**
 * The order of {@link causalOrder}, worked out a little at a time: a workflow of tens of thousands is put in order beside other
 * work, and nobody waits for the whole of it.
 *
 * @see AEE-C12; R-51
 */
import { MinHeap } from '../../core/collections/min-heap.ts'
import type { ThreadEdge } from './thread.ts'

/** Places that are looked at between two pauses. */
export const STEP_PLACES = 2_048

/**
 * Maps that the ids of a workflow are kept in, by how they end: one alone is copied whole when it grows, which at tens of
 * thousands takes longer than others may wait. Where all end alike it is as if there were one.
 */
const PARTS = 64

/** The parent of what answers nothing that is there. */
const NOBODY = -1

/** An answer that came before what it answers, if that came at all. */
interface Early {
  readonly place: number
  readonly replyTo: string
}

/** One workflow: its envelopes are added as they came, and then put in order. */
export class GradualOrder {
  readonly #seqs: number[] = []
  /** Of two envelopes with one id, the earlier is meant. */
  readonly #places = Array.from({ length: PARTS }, () => new Map<string, number>())
  readonly #parents: number[] = []
  readonly #early: Early[] = []

  /** Takes the next one, in the order of acceptance. */
  add({ seq, id, replyTo }: ThreadEdge): void {
    const place = this.#seqs.push(seq) - 1
    const part = this.#partOf(id)
    if (part?.has(id) === false) part.set(id, place)
    const parent = replyTo === null ? NOBODY : this.#partOf(replyTo)?.get(replyTo)
    // What answers itself answers nobody.
    this.#parents.push(parent === undefined || parent === place ? NOBODY : parent)
    if (parent === undefined && replyTo !== null) this.#early.push({ place, replyTo })
  }

  #partOf(id: string): Map<string, number> | undefined {
    const [last = 0, before = 0] = [id.codePointAt(id.length - 1), id.codePointAt(id.length - 2)]
    return this.#places[(last + 31 * before) % PARTS]
  }

  /**
   * Every envelope after the one it answers, and otherwise as they came; of a ring of answers, the earliest first.
   *
   * @returns their places in the ring; before that, it pauses
   */
  *order(): Generator<void, readonly number[]> {
    // The usual case: whoever answers had read the question.
    if (!(yield* this.#findQuestions())) return this.#seqs
    yield* this.#cutRings()
    return yield* this.#sort()
  }

  /** @returns whether there is a question that came behind its answer */
  *#findQuestions(): Generator<void, boolean> {
    let isAnyLate = false
    for (const [i, { place, replyTo }] of this.#early.entries()) {
      const parent = this.#partOf(replyTo)?.get(replyTo)
      if (parent !== undefined) this.#parents[place] = parent
      isAnyLate ||= parent !== undefined
      if (i % STEP_PLACES === STEP_PLACES - 1) yield
    }
    return isAnyLate
  }

  /** The earliest of each ring answers nobody: every walk upwards then ends. */
  *#cutRings(): Generator<void, void> {
    /** Place → the walk that first came by, counted from 1; each place is walked over once. */
    const walks = new Uint32Array(this.#parents.length)
    const heads: number[] = []
    let steps = 0
    for (let walk = 0; walk < walks.length; walk += 1) {
      let at = walk
      while (at !== NOBODY && walks[at] === 0) {
        walks[at] = walk + 1
        at = this.#parents[at] ?? NOBODY
        if ((steps += 1) % STEP_PLACES === 0) yield
      }
      // A walk that meets itself has gone round a ring; one that meets another has nothing new to find.
      if (at !== NOBODY && walks[at] === walk + 1) heads.push(yield* this.#earliestOfRing(at))
    }
    for (const place of heads) this.#parents[place] = NOBODY
  }

  *#earliestOfRing(start: number): Generator<void, number> {
    let earliest = start
    let steps = 0
    for (let at = this.#parents[start] ?? start; at !== start; at = this.#parents[at] ?? start) {
      earliest = Math.min(earliest, at)
      if ((steps += 1) % STEP_PLACES === 0) yield
    }
    return earliest
  }

  *#sort(): Generator<void, readonly number[]> {
    const children = new Map<number, number[]>()
    const ready = new MinHeap()
    for (const [place, parent] of this.#parents.entries()) {
      if (parent === NOBODY) ready.push(place)
      else {
        const siblings = children.get(parent)
        if (siblings === undefined) children.set(parent, [place])
        else siblings.push(place)
      }
      if (place % STEP_PLACES === STEP_PLACES - 1) yield
    }
    const ordered: number[] = []
    for (let place = ready.pop(); place !== undefined; place = ready.pop()) {
      ordered.push(this.#seqs[place] ?? 0)
      for (const [i, child] of (children.get(place) ?? []).entries()) {
        ready.push(child)
        if (i % STEP_PLACES === STEP_PLACES - 1) yield
      }
      if (ordered.length % STEP_PLACES === 0) yield
    }
    return ordered
  }
}
