/**
 * Marks, cursors, acknowledgements and holes as they stand: what both rings keep in memory, since every record that
 * arrives is judged by it. A change is worked out first, so that a store can write it before it counts.
 *
 * @see FED-05, FED-25…FED-28
 */
import { isKeyOf } from './stream-key.ts'
import {
  MAX_EPOCHS,
  MAX_HOLES,
  NO_MARKS,
  type Acked,
  type Arrival,
  type Hole,
  type LinkCursor,
  type Marks,
} from './origins.ts'

/** What holes become of one more. */
export interface HoleChange {
  readonly added: Hole
  /** One that made room, or lies before everything that is retained. */
  readonly dropped: readonly Hole[]
  /** The next of the lane of the one that made room: it begins where that one did. */
  readonly widened: Hole | undefined
}

/** A mark that stands for an epoch of a lane. */
export interface MarkChange {
  readonly epoch: string
  readonly seq: number
  /** Epochs of the lane that are forgotten for it. */
  readonly dropped: readonly string[]
}

/** All that one batch changes. */
export interface ArrivalChange {
  readonly arrival: Arrival
  readonly marks: readonly MarkChange[]
  readonly hole: HoleChange | undefined
}

/** What a store gives back of it. */
export interface RestoredOrigins {
  readonly marks: Iterable<{ realm: string; lane: string; epoch: string; seq: number }>
  readonly cursors: Iterable<readonly [realm: string, cursor: LinkCursor]>
  readonly acks: Iterable<readonly [realm: string, acked: Acked]>
  readonly holes: readonly Hole[]
  readonly nextHole: number
}

export class OriginTable {
  readonly #marks = new Map<string, Map<string, Map<string, number>>>()
  readonly #cursors = new Map<string, LinkCursor>()
  readonly #acks = new Map<string, Acked>()
  #holes: readonly Hole[] = []
  #nextHole = 1

  /** Whether no lane has ever brought anything. */
  get isEmpty(): boolean {
    return this.#marks.size === 0
  }

  get nextHole(): number {
    return this.#nextHole
  }

  marksOf(realm: string): Marks {
    return this.#marks.get(realm) ?? NO_MARKS
  }

  cursorOf(streamKey: string): LinkCursor | undefined {
    return this.#cursors.get(streamKey)
  }

  ackedOf(streamKey: string): Acked | undefined {
    return this.#acks.get(streamKey)
  }

  acked(realm: string, acked: Acked): void {
    this.#acks.set(realm, acked)
  }

  holesFrom(n: number): readonly Hole[] {
    const newest = this.#holes.at(-1)
    return newest === undefined || newest.n < n ? [] : this.#holes.filter((hole) => hole.n >= n)
  }

  restore({ marks, cursors, acks, holes, nextHole }: RestoredOrigins): void {
    for (const { realm, lane, epoch, seq } of marks) this.#epochsOf(realm, lane).set(epoch, seq)
    for (const [realm, cursor] of cursors) this.#cursors.set(realm, cursor)
    for (const [realm, acked] of acks) this.#acks.set(realm, acked)
    this.#holes = holes
    this.#nextHole = Math.max(nextHole, (holes.at(-1)?.n ?? 0) + 1)
  }

  /** What some batches change, in order; nothing has changed yet. @param ring - as it is before their frames */
  plan(
    arrivals: readonly Arrival[],
    ring: { readonly firstSeq: number; readonly lastSeq: number },
  ): readonly ArrivalChange[] {
    let holes = this.#holes
    let n = this.#nextHole
    return arrivals.map((arrival) => {
      const marks = [...arrival.marks].map(([epoch, seq]) => this.#planMark(arrival, epoch, seq))
      if (arrival.hole === undefined) return { arrival, marks, hole: undefined }
      const { realm, lane, node } = arrival
      const added: Hole = { n, afterSeq: ring.lastSeq, realm, lane, node, ...arrival.hole }
      n += 1
      const hole = planHole(holes, added, ring.firstSeq)
      holes = holesAfter(holes, hole)
      return { arrival, marks, hole }
    })
  }

  /** It is written: now it counts. */
  apply(changes: readonly ArrivalChange[]): void {
    for (const { arrival, marks, hole } of changes) {
      const { realm, lane, cursor, cursorKey = realm } = arrival
      for (const { epoch, seq, dropped } of marks) {
        const epochs = this.#epochsOf(realm, lane)
        for (const one of dropped) epochs.delete(one)
        epochs.set(epoch, Math.max(seq, epochs.get(epoch) ?? 0))
      }
      if (cursor !== undefined) this.#cursors.set(cursorKey, cursor)
      if (hole === undefined) continue
      this.#holes = holesAfter(this.#holes, hole)
      this.#nextHole = hole.added.n + 1
    }
  }

  forgetRealm(realm: string): void {
    this.#marks.delete(realm)
    for (const kept of [this.#cursors, this.#acks])
      for (const key of kept.keys()) if (isKeyOf(realm, key)) kept.delete(key)
  }

  /** The ring began anew; a number that was given to a hole is not given again. */
  clear(): void {
    for (const one of [this.#marks, this.#cursors, this.#acks]) one.clear()
    this.#holes = []
  }

  #planMark({ realm, lane }: Arrival, epoch: string, seq: number): MarkChange {
    const known = this.#marks.get(realm)?.get(lane)
    const isNew = known !== undefined && !known.has(epoch) && known.size >= MAX_EPOCHS
    const dropped = isNew ? [...known.keys()].slice(0, known.size - MAX_EPOCHS + 1) : []
    return { epoch, seq: Math.max(seq, known?.get(epoch) ?? 0), dropped }
  }

  #epochsOf(realm: string, lane: string): Map<string, number> {
    const lanes = this.#marks.get(realm) ?? new Map<string, Map<string, number>>()
    this.#marks.set(realm, lanes)
    const epochs = lanes.get(lane) ?? new Map<string, number>()
    lanes.set(lane, epochs)
    return epochs
  }
}

/** What lies before everything retained is told by retention itself. */
function planHole(holes: readonly Hole[], added: Hole, firstSeq: number): HoleChange {
  const passed = holes.filter(({ afterSeq }) => afterSeq < firstSeq - 1)
  const left = holes.slice(passed.length)
  const [oldest] = left
  if (oldest === undefined || left.length < MAX_HOLES) return { added, dropped: passed, widened: undefined }
  const next = left.slice(1).find(({ realm, lane }) => realm === oldest.realm && lane === oldest.lane)
  const widened = next && { ...next, from: oldest.from }
  return { added, dropped: [...passed, oldest], widened }
}

function holesAfter(holes: readonly Hole[], { added, dropped, widened }: HoleChange): readonly Hole[] {
  const gone = new Set(dropped.map(({ n }) => n))
  const left = holes.filter(({ n }) => !gone.has(n))
  return [...left.map((hole) => (hole.n === widened?.n ? widened : hole)), added]
}
