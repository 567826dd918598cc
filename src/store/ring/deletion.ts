/**
 * Deletion: what a person wants forgotten goes for good, from the tables, the memory and the file.
 */
import { searchFor, type Deletion, type Forgotten, type PlaceRange } from '../../broker/ring/ring.ts'
import { runsOf } from '../../broker/mail/runs.ts'
import type { ForgettableRow } from '../rows/row.ts'
import type { Statements } from '../rows/statements.ts'
import type { KeptFrames } from './kept-frames.ts'

/** Places looked at in one step, all of which may have to be overwritten: a few milliseconds. */
const FORGOTTEN_PLACES = 64

export class Deletions {
  readonly #parts: KeptFrames
  /** Whether something of what was deleted may still stand in the log. */
  #isScrubDue = false

  constructor(parts: KeptFrames) {
    this.#parts = parts
  }

  /** As `Ring.forget`: a transaction's worth of whatever matches is gone for good. */
  step(which: Deletion, { afterSeq, upToSeq }: PlaceRange): Forgotten {
    const { file, lookBack } = this.#parts
    if (!lookBack.learn(afterSeq)) return { places: [], nextSeq: afterSeq }
    const looked = lookBack.places(afterSeq, FORGOTTEN_PLACES, searchFor(which))
    const page = this.#matching(
      which,
      looked.filter((seq) => seq <= upToSeq && (which.seq ?? seq) === seq),
    )
    if (page.length > 0) {
      this.#isScrubDue = true
      file.erasing(() => deletePage(this.#parts, page))
    }
    const places = page.map(({ seq }) => seq)
    const last = looked.at(-1)
    if (last !== undefined && last < upToSeq) return { places, nextSeq: last }
    if (this.#isScrubDue) file.scrub()
    this.#isScrubDue = false
    return { places, nextSeq: undefined }
  }

  #matching(which: Deletion, places: readonly number[]): readonly ForgettableRow[] {
    const { statements } = this.#parts.file
    const keys = {
      key: which.key ?? null,
      corr: which.corr ?? null,
      senderHandle: which.senderHandle ?? null,
      kind: which.kind ?? null,
      beforeMs: which.beforeMs ?? null,
    }
    return places
      .map((seq) => statements.forgettable.get({ ...keys, seq }))
      .filter((row) => row !== undefined)
  }
}

function deletePage(parts: KeptFrames, rows: readonly ForgettableRow[]): void {
  const { file, tail, trimming, extent, lookBack } = parts
  // Killed between the two, the next daemon counts.
  file.committed(extent.lastSeq, undefined)
  file.transact(() => deleteRows(file.statements, rows, extent.lastSeq))
  trimming.forget()
  const gone = new Set(rows.map(({ seq }) => seq))
  tail.drop(gone)
  extent.remove({ frames: rows.length, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) })
  file.committed(extent.lastSeq, extent.totals)
  extent.firstSeq = file.statements.firstSeq.get() ?? extent.lastSeq + 1
  lookBack.forgotten(gone)
}

/** @param lastSeq - the greatest number given out: that of a forgotten newest frame must not be given out again */
function deleteRows(statements: Statements, rows: readonly ForgettableRow[], lastSeq: number): void {
  for (const { seq } of rows) {
    statements.forgetFrame.run(seq)
    statements.forgetOutcomes.run(seq)
    statements.forgetRemoteReceipts.run(seq)
  }
  for (const { first, last } of runsOf(rows.map(({ seq }) => seq))) statements.noteForgotten.run(first, last)
  statements.setLastSeq.run(lastSeq)
}
