/**
 * What a command says of a lease beside the answer, and how its answer is written for programs.
 */
import { systemClock } from '../../core/clock.ts'
import { objectOf } from '../../core/text/json-object.ts'
import type { Participant } from '../../client/index.ts'
import { printJson } from '../terminal/print.ts'
import { toWireNames } from '../terminal/wire-names.ts'
import type { VerbOutcome } from '../verbs/report.ts'
import { readBoardLines } from './board-lines.ts'
import type { LeaseLine } from './own-lease.ts'

/** The board, and who looks at it. */
export async function readLeaseLines(participant: Participant) {
  const { lines, isCut } = await readBoardLines(participant, systemClock)
  return {
    lines,
    leases: lines.flatMap((line): LeaseLine[] =>
      line.leaseId === undefined ? [] : [{ ...line, leaseId: line.leaseId }],
    ),
    isCut,
    from: callerOf(participant),
  }
}

/** As the board calls whoever asks: the address of a session, of the principal itself the handle. */
export function callerOf(participant: Participant): string {
  return 'address' in participant && typeof participant.address === 'string'
    ? participant.address
    : participant.handle
}

/** The daemon's answer, and what was found out besides. */
export function printAnswer({ text }: Extract<VerbOutcome, { kind: 'sent' }>, more: object): void {
  printJson(JSON.stringify({ ...objectOf(JSON.parse(text)), ...objectOf(toWireNames(more)) }))
}
