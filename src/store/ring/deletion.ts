/**
 * Rows that are forgotten for good, as far as the tables go.
 */
import type { Deletion } from '../../broker/ring/ring.ts'
import type { ForgettableRow, Statements } from '../rows/statements.ts'

/** Frames forgotten per transaction. */
const FORGET_FRAMES = 512

/**
 * What is to be forgotten, a transaction's worth at a time. Each page has to be deleted before the next is read.
 *
 * @param statements - of the file as it is: a damaged one is replaced
 */
export function* forgettablePages(
  statements: () => Statements,
  which: Deletion,
): Generator<readonly ForgettableRow[]> {
  const keys = {
    limit: FORGET_FRAMES,
    key: which.key ?? null,
    senderHandle: which.senderHandle ?? null,
    kind: which.kind ?? null,
    beforeMs: which.beforeMs ?? null,
  }
  for (let after = 0; ;) {
    const page = statements().forgettable.all({ ...keys, after })
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    after = last.seq
  }
}

/** @param lastSeq - the greatest number given out: that of a forgotten newest frame must not be given out again */
export function deleteRows(statements: Statements, rows: readonly ForgettableRow[], lastSeq: number): void {
  for (const { seq } of rows) {
    statements.forgetFrame.run(seq)
    statements.forgetOutcomes.run(seq)
    statements.forgetQueued.run(seq)
  }
  statements.setLastSeq.run(lastSeq)
}
