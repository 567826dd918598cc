/**
 * What one mailbox holds, as it is kept: stretches of the sequence, the place it reads from, and what it has taken out of
 * turn. The places themselves stand in the lanes (HD-03).
 */
import type { Ring } from '../ring/ring.ts'
import type { LaneRun, Lanes } from './lanes.ts'
import { Reading, type ReadingParts, type Stretch } from './reading.ts'
import { Runs, runsOf } from './runs.ts'
import { unite } from './succession.ts'

/** For what a mailbox stands in: everything but what a stream in front of it would take. */
export interface Standing {
  readonly frames: boolean
  readonly entities: readonly string[]
}

/** As it is written down. */
export interface HoldingRecord {
  readonly stretches: readonly Stretch[]
  readonly from: number
}

/** Where the places are. */
export interface HoldingParts {
  readonly address: string
  readonly lanes: Lanes
  readonly ring: Pick<Ring, 'firstSeq' | 'lastSeq'>
}

export class Holding {
  readonly #parts: HoldingParts
  /** In order; only the last may go on. */
  #stretches: readonly Stretch[] = []
  #taken = new Runs()
  /** Everything before this place was read, or is counted as lost. */
  #from: number

  /** @param past - as a daemon left it, with what had been taken; that need not fit what the disk gives back */
  constructor(parts: HoldingParts, past?: { readonly record: HoldingRecord; readonly taken: Runs }) {
    this.#parts = parts
    this.#from = past?.record.from ?? parts.ring.lastSeq + 1
    if (past === undefined) return
    this.#stretches = past.record.stretches
    this.#taken = this.#inLanes(past.taken)
  }

  get record(): HoldingRecord {
    return { stretches: this.#stretches, from: this.#from }
  }

  get taken(): Runs {
    return this.#taken
  }

  /** Runs and stretches: what it costs, however much waits. */
  get length(): number {
    return this.#stretches.length + this.#taken.length
  }

  /** What waits, good until the next change. */
  get reading(): Reading {
    return new Reading(this.#all)
  }

  /** Places that wait. */
  get count(): number {
    return this.reading.countIn(this.#from, Infinity)
  }

  /** The stretch that goes on. */
  get open(): Stretch | undefined {
    const last = this.#stretches.at(-1)
    return last?.to === undefined ? last : undefined
  }

  /** The place that the next frame will have. */
  get next(): number {
    return this.#parts.ring.lastSeq + 1
  }

  /** Whether it reads just this from now on; where that is nothing, whether it reads nothing. */
  isOpenFor({ frames, entities }: Pick<Stretch, 'frames' | 'entities'>): boolean {
    const { open } = this
    if (open === undefined) return !frames && entities.length === 0
    const hasSame =
      entities.length === open.entities.length && entities.every((name, i) => name === open.entities[i])
    return open.frames === frames && hasSame
  }

  /** Ends the open stretch; one over which nothing came is not kept. */
  end(): void {
    const { open } = this
    if (open === undefined) return
    const to = this.next - 1
    const before = this.#stretches.slice(0, -1)
    const alone = new Reading({ ...this.#all, stretches: [open], taken: new Runs() })
    this.#stretches = alone.countIn(open.from, to) === 0 ? before : [...before, { ...open, to }]
    this.#catchUp()
  }

  /** Ends the open stretch, and begins another one with the next frame. */
  begin(next: Omit<Stretch, 'from' | 'to'>): void {
    this.end()
    this.#stretches = [...this.#stretches, { ...next, from: this.next }]
  }

  /** Ends a stretch in which the mailbox was passed over. @returns what it would have got */
  giveUp(open: Stretch): number {
    const count = this.#passedOverTo(Infinity)
    this.#taken = this.#taken.without(new Runs([{ first: open.from, last: Infinity }]))
    this.#stretches = this.#stretches.slice(0, -1)
    return count
  }

  /** Takes out what waits of some places. @returns that, in order */
  take(seqs: Iterable<number>): readonly number[] {
    const { reading } = this
    const taken = [...new Set(seqs)].filter((seq) => reading.has(seq)).toSorted((a, b) => a - b)
    if (taken.length === 0) return taken
    const runs = runsOf(taken)
    this.#taken = this.#taken.with(runs)
    for (let i = 0; i < runs.length; i += 1) this.#parts.lanes.noteException()
    this.#catchUp()
    return taken
  }

  /** A place of its lanes that never was for it. Newest last. */
  spare(seq: number): void {
    if (this.#taken.append(seq)) this.#parts.lanes.noteException()
  }

  /** What the person had forgotten is in no lane any more. */
  forget(gone: Runs): void {
    this.#taken = this.#taken.without(gone)
  }

  /** Lets go of what the ring has trimmed. @returns how much of that nobody had read */
  settle(): number {
    const { firstSeq } = this.#parts.ring
    if (firstSeq <= this.#from) return 0
    const lost = this.reading.countIn(this.#from, firstSeq - 1) + this.#passedOverTo(firstSeq - 1)
    this.#advance(firstSeq)
    return lost
  }

  /** Takes over what another one holds, which is empty then. @returns what stands in its own lane now */
  takeOver(left: Holding): readonly LaneRun[] {
    const { own, stretches, taken, from } = unite(this.#all, left.#all)
    this.#stretches = stretches
    this.#taken = taken
    this.#from = from
    left.#stretches = []
    left.#taken = new Runs()
    left.#from = left.next
    return own
  }

  /** The ring began anew. To be asked before the lanes are cleared. @returns what it held, or was passed over with */
  reset(): number {
    const lost = this.count + this.#passedOverTo(Infinity)
    const { open } = this
    this.#from = this.next
    this.#taken = new Runs()
    this.#stretches = open === undefined ? [] : [{ ...open, from: this.next }]
    return lost
  }

  get #all(): ReadingParts {
    const { address, lanes } = this.#parts
    return { address, lanes, stretches: this.#stretches, from: this.#from, taken: this.#taken }
  }

  /** What came up to a place while it was passed over: that was never queued for it. */
  #passedOverTo(last: number): number {
    const { open } = this
    if (open?.isPassedOver !== true) return 0
    const { isPassedOver: _, ...stretch } = open
    return new Reading({ ...this.#all, stretches: [stretch] }).countIn(stretch.from, last)
  }

  /** Reads on from the oldest that waits; whatever lies before is taken. */
  #catchUp(): void {
    if (this.open?.isPassedOver === true) return
    this.#advance(this.reading.after(0, 1)[0] ?? this.next)
  }

  #advance(seq: number): void {
    this.#from = Math.max(this.#from, seq)
    this.#taken.dropBefore(this.#from)
    this.#stretches = this.#stretches.filter(({ to = Infinity }) => to >= this.#from)
  }

  /** Those of some places that are in its lanes. */
  #inLanes(taken: Runs): Runs {
    const { reading } = this
    return new Runs(
      [...taken].flatMap(({ first, last }) => {
        const length = last - first + 1
        if (reading.countIn(first, last) === length) return [{ first, last }]
        return [...runsOf(reading.after(first - 1, length).filter((seq) => seq <= last))]
      }),
    )
  }
}
