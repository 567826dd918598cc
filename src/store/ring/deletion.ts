/**
 * Deletion: what a person wants forgotten goes for good, from the tables, the memory and the file.
 */
import type { Deletion } from '../../broker/ring/ring.ts'
import type { StoreFile } from '../file/store-file.ts'
import type { CurrentStatements, ForgettableRow, Statements } from '../rows/statements.ts'
import type { Extent } from './extent.ts'
import type { Tail } from './tail.ts'
import type { Trimming } from './trimming.ts'

/** Frames forgotten per transaction. */
const FORGET_FRAMES = 512

/** What deletion changes besides the rows. */
interface DeletionParts {
  readonly file: StoreFile
  readonly tail: Tail
  readonly trimming: Trimming
  readonly extent: Extent
}

/** Deletes for good whatever matches, a transaction's worth at a time. @returns how much that was */
export function deleteMatching(parts: DeletionParts, which: Deletion): number {
  const { file } = parts
  let deleted = 0
  for (const page of matchingPages(file, which)) {
    file.erasing(() => deletePage(parts, page))
    deleted += page.length
  }
  if (deleted > 0) file.scrub()
  return deleted
}

/** What is to be forgotten. Each page has to be deleted before the next is read. */
function* matchingPages(file: CurrentStatements, which: Deletion): Generator<readonly ForgettableRow[]> {
  const keys = {
    limit: FORGET_FRAMES,
    key: which.key ?? null,
    senderHandle: which.senderHandle ?? null,
    kind: which.kind ?? null,
    beforeMs: which.beforeMs ?? null,
  }
  for (let after = 0; ;) {
    const page = file.statements.forgettable.all({ ...keys, after })
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    after = last.seq
  }
}

function deletePage({ file, tail, trimming, extent }: DeletionParts, rows: readonly ForgettableRow[]): void {
  // Killed between the two, the next daemon counts.
  file.committed(extent.lastSeq, undefined)
  file.transact(() => deleteRows(file.statements, rows, extent.lastSeq))
  trimming.forget()
  const gone = new Set(rows.map(({ seq }) => seq))
  tail.drop(({ seq }) => gone.has(seq))
  extent.remove({ frames: rows.length, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) })
  file.committed(extent.lastSeq, extent.totals)
  extent.firstSeq = file.statements.firstSeq.get() ?? extent.lastSeq + 1
}

/** @param lastSeq - the greatest number given out: that of a forgotten newest frame must not be given out again */
function deleteRows(statements: Statements, rows: readonly ForgettableRow[], lastSeq: number): void {
  for (const { seq } of rows) {
    statements.forgetFrame.run(seq)
    statements.forgetOutcomes.run(seq)
    statements.forgetQueued.run(seq)
  }
  statements.setLastSeq.run(lastSeq)
}
