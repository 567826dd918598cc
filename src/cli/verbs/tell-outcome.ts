/**
 * Printing what came of a one-shot command.
 */
import { EXIT, type ExitCode } from '../run/exit.ts'
import type { reportTrouble, reportUnanswered } from '../run/report.ts'
import { printOut } from '../terminal/print.ts'
import { formatSent, type Manner, type VerbOutcome } from './report.ts'

/** How trouble is told: the short way loads it when there is some. */
export interface Report {
  readonly reportTrouble: typeof reportTrouble
  readonly reportUnanswered: typeof reportUnanswered
}

/** @returns the exit code */
export async function tellOutcome(
  outcome: VerbOutcome,
  manner: Manner,
  loadReport: () => Promise<Report>,
): Promise<ExitCode> {
  if (outcome.kind === 'sent') {
    printOut(formatSent(outcome, manner))
    return EXIT.done
  }
  const report = await loadReport()
  if (outcome.kind !== 'trouble') return report.reportUnanswered(outcome, manner.json)
  report.reportTrouble(outcome.trouble, manner.json, outcome.exit)
  return outcome.exit
}
