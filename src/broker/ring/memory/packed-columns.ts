/**
 * The columns that packed frames stand in, by slot: the last bits of a place, of which there are as many as rows.
 */
import type { TextPlace } from '../../../core/collections/text-pages.ts'
import type { Reach } from '../delivery.ts'
import type { FrameHeading } from './packed-frame.ts'

export class PackedColumns {
  /** A power of two. */
  readonly rows: number
  /** Where the text is: its page, and from where to where. */
  readonly pages: Uint32Array
  readonly froms: Uint32Array
  readonly tos: Uint32Array
  /** Characters of the text. */
  readonly chars: Uint32Array
  readonly acceptedMs: Float64Array
  readonly expiresMs: Float64Array
  /** Undefined of what is not packed. */
  readonly headings: (FrameHeading | undefined)[]
  readonly reaches: (Reach | undefined)[]

  constructor(rows: number) {
    this.rows = rows
    this.pages = new Uint32Array(rows)
    this.froms = new Uint32Array(rows)
    this.tos = new Uint32Array(rows)
    this.chars = new Uint32Array(rows)
    this.acceptedMs = new Float64Array(rows)
    this.expiresMs = new Float64Array(rows)
    this.headings = Array.from({ length: rows })
    this.reaches = Array.from({ length: rows })
  }

  slotOf(seq: number): number {
    return seq & (this.rows - 1)
  }

  textAt(slot: number): TextPlace {
    return { page: this.pages[slot] ?? 0, from: this.froms[slot] ?? 0, to: this.tos[slot] ?? 0 }
  }

  /** The same places in twice as many rows. */
  doubled(firstSeq: number, endSeq: number): PackedColumns {
    const wide = new PackedColumns(2 * this.rows)
    for (let seq = firstSeq; seq < endSeq; seq += 1) wide.#copy(this, seq)
    return wide
  }

  #copy(from: PackedColumns, seq: number): void {
    const [at, to] = [from.slotOf(seq), this.slotOf(seq)]
    this.pages[to] = from.pages[at] ?? 0
    this.froms[to] = from.froms[at] ?? 0
    this.tos[to] = from.tos[at] ?? 0
    this.chars[to] = from.chars[at] ?? 0
    this.acceptedMs[to] = from.acceptedMs[at] ?? 0
    this.expiresMs[to] = from.expiresMs[at] ?? 0
    this.headings[to] = from.headings[at]
    this.reaches[to] = from.reaches[at]
  }
}
