/**
 * Origins read back. What a check does not stand over is believed by nobody: of a realm with a damaged row nothing is
 * known, and it is joined anew, which is better than to apply its frames twice.
 */
import type { RestoredOrigins } from '../../broker/origins/origin-table.ts'
import type { Logger } from '../../core/log.ts'
import { checkOfColumns } from '../rows/origin-statements.ts'
import type { Statements } from '../rows/statements.ts'

/** Everything the last daemon left of them. @throws Error with SQLite's code */
export function readOrigins(statements: Statements, log: Logger): RestoredOrigins {
  const damaged = new Set<string>()
  const isSound = (realm: string, columns: readonly (string | number | null)[], check: string): boolean => {
    const sound = checkOfColumns([realm, ...columns]) === check
    if (!sound) damaged.add(realm)
    return sound
  }
  const marks = statements.marks
    .all()
    .filter(({ realm, lane, epoch, seq, row_check }) => isSound(realm, [lane, epoch, seq], row_check))
  const cursors = statements.cursors
    .all()
    .filter(({ realm, seq, node, last, row_check }) => isSound(realm, [seq, node, last], row_check))
  const acks = statements.acks
    .all()
    .filter(({ realm, last, reports, stream_created: created, stream_seq: seq, row_check }) =>
      isSound(realm, [last, reports, created, seq], row_check),
    )
  for (const realm of damaged) log.warn('origins-damaged', { realm })
  const isKnown = ({ realm }: { readonly realm: string }): boolean => !damaged.has(realm)
  return {
    marks: marks.filter(isKnown),
    cursors: cursors.filter(isKnown).map(({ realm, seq, node, last }) => [realm, { seq, node, last }]),
    acks: acks.map(({ realm, last, reports, stream_created: streamCreated, stream_seq: streamSeq }) => [
      realm,
      { last, reports, streamCreated, streamSeq },
    ]),
    holes: statements.holes.all().map((row) => ({
      n: row.n,
      afterSeq: row.after_seq,
      realm: row.realm,
      lane: row.lane,
      node: row.node,
      from: row.missing_from,
      to: row.missing_to,
    })),
    nextHole: (statements.lastHole.get() ?? 0) + 1,
  }
}
