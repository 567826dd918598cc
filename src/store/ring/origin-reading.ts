/**
 * Origins read back. What a check does not stand over is believed by nobody: of a realm with a damaged row nothing is
 * known, and it is joined anew, which is better than to apply its frames twice.
 */
import type { RestoredOrigins } from '../../broker/origins/origin-table.ts'
import type { Hole } from '../../broker/origins/origins.ts'
import type { Logger } from '../../core/log.ts'
import { readEventId } from '../../protocol/address/event-id.ts'
import { checkOfColumns, type HoleRow } from '../rows/origin-statements.ts'
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
    holes: readHoles(statements.holes.all(), log),
    nextHole: (statements.lastHole.get() ?? 0) + 1,
  }
}

/** Their rows have no check: what cannot be a hole is none, and is counted, so that nobody is told of what is not. */
function readHoles(rows: readonly HoleRow[], log: Logger): readonly Hole[] {
  const sound = rows.filter(isHole)
  if (sound.length < rows.length) log.warn('holes-damaged', { skipped: rows.length - sound.length })
  return sound.map((row) => ({
    n: row.n,
    afterSeq: row.after_seq,
    realm: row.realm,
    lane: row.lane,
    node: row.node,
    from: row.missing_from,
    to: row.missing_to,
  }))
}

/** A column holds whatever a damaged page makes of it, another type too. */
function isHole(row: HoleRow): boolean {
  const { n, after_seq: afterSeq, realm, lane, node, missing_from: from, missing_to: to } = row
  const isPlaced = [n, afterSeq].every((one) => Number.isSafeInteger(one) && one >= 0)
  if (!isPlaced || ![realm, lane, node, to].every(isText) || !(from === null || isText(from))) return false
  // A lane is one of its realm: said twice in a row, each proves the other.
  if (!lane.includes(`.${realm}.`)) return false
  const [first, last] = [from === null ? undefined : readEventId(from), readEventId(to)]
  if (last === undefined || (from !== null && first === undefined)) return false
  return first === undefined || first.epoch !== last.epoch || first.seq <= last.seq
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
