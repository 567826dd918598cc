/**
 * Places of the sequence in order, kept as runs: what waits for an idle session is mostly everything from somewhere
 * on, and then is two numbers, however much that is.
 */

/** Places one after the other, both ends included. */
export interface Run {
  readonly first: number
  readonly last: number
}

export class Runs {
  #firsts: number[] = []
  #lasts: number[] = []
  /** Places before each run. Only differences count, so that letting go of the oldest changes none of the rest. */
  #before: number[] = []

  /** @param runs - in order of their first place; they may touch and overlap */
  constructor(runs: Iterable<Run> = []) {
    for (const run of runs) this.addRun(run)
  }

  /** Places there are. */
  get count(): number {
    return this.#rank(Infinity) - (this.#before[0] ?? 0)
  }

  /** Runs there are: what it costs. */
  get length(): number {
    return this.#firsts.length
  }

  /** Adds a place behind all others. @returns whether a run began with it */
  append(seq: number): boolean {
    const newest = this.#lasts.length - 1
    if (this.#lasts[newest] === seq - 1) {
      this.#lasts[newest] = seq
      return false
    }
    this.#push(seq, seq)
    return true
  }

  /** Adds a run that begins no earlier than the newest one. */
  addRun({ first, last }: Run): void {
    const newest = this.#lasts.length - 1
    const end = this.#lasts[newest]
    if (end === undefined || first > end + 1) this.#push(first, last)
    else if (last > end) this.#lasts[newest] = last
  }

  has(seq: number): boolean {
    const first = this.#firsts[this.#find(seq)]
    return first !== undefined && first <= seq
  }

  /** Places between two, both included. */
  countIn(first: number, last: number): number {
    return last < first ? 0 : this.#rank(last + 1) - this.#rank(first)
  }

  /** The first places between two that are admitted, up to a number of them. */
  collect({ first, last }: Run, limit: number, admits: (seq: number) => boolean): number[] {
    const found: number[] = []
    for (let i = this.#find(first); i < this.#firsts.length && found.length < limit; i += 1) {
      const end = Math.min(this.#lasts[i] ?? 0, last)
      for (let seq = Math.max(this.#firsts[i] ?? 0, first); seq <= end && found.length < limit; seq += 1)
        if (admits(seq)) found.push(seq)
      if (end === last) break
    }
    return found
  }

  /** In order. */
  *[Symbol.iterator](): IterableIterator<Run> {
    for (let i = 0; i < this.#firsts.length; i += 1)
      yield { first: this.#firsts[i] ?? 0, last: this.#lasts[i] ?? 0 }
  }

  /** These and those, as one. */
  with(others: Iterable<Run>): Runs {
    return new Runs([...this, ...others].toSorted((a, b) => a.first - b.first))
  }

  /** These, without those. */
  without(others: Runs): Runs {
    const left = new Runs()
    for (const { first, last } of this) {
      let from = first
      for (let i = others.#find(first); i < others.#firsts.length && from <= last; i += 1) {
        const gone = others.#firsts[i] ?? 0
        if (gone > last) break
        if (gone > from) left.addRun({ first: from, last: gone - 1 })
        from = Math.max(from, (others.#lasts[i] ?? 0) + 1)
      }
      if (from <= last) left.addRun({ first: from, last })
    }
    return left
  }

  /** Lets go of everything before a place. */
  dropBefore(seq: number): void {
    const kept = this.#find(seq)
    if (kept > 0) {
      this.#firsts.splice(0, kept)
      this.#lasts.splice(0, kept)
      this.#before.splice(0, kept)
    }
    const cut = seq - (this.#firsts[0] ?? seq)
    if (cut <= 0) return
    this.#firsts[0] = seq
    this.#before[0] = (this.#before[0] ?? 0) + cut
  }

  #push(first: number, last: number): void {
    this.#before.push(this.#rank(Infinity))
    this.#firsts.push(first)
    this.#lasts.push(last)
  }

  /** Places before one. */
  #rank(seq: number): number {
    const i = this.#find(seq)
    const first = this.#firsts[i]
    if (first !== undefined) return (this.#before[i] ?? 0) + Math.max(0, seq - first)
    const newest = this.#firsts.length - 1
    if (newest < 0) return 0
    return (this.#before[newest] ?? 0) + (this.#lasts[newest] ?? 0) - (this.#firsts[newest] ?? 0) + 1
  }

  /** The first run that does not end before a place. */
  #find(seq: number): number {
    let low = 0
    let high = this.#lasts.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#lasts[middle] ?? 0) < seq) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Places in any order as runs. */
export function runsOf(seqs: Iterable<number>): Runs {
  const runs = new Runs()
  for (const seq of [...seqs].toSorted((a, b) => a - b)) runs.addRun({ first: seq, last: seq })
  return runs
}
