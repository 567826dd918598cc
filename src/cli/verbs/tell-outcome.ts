/**
 * Printing what came of a one-shot command, on the full way; `fast.ts` has its own order of loading.
 */
import { EXIT, type ExitCode } from '../run/exit.ts'
import { printOut } from '../terminal/print.ts'
import { reportTrouble } from '../run/report.ts'
import { formatSent, type Manner, type VerbOutcome } from './report.ts'

/** @returns the exit code */
export function tellOutcome(outcome: VerbOutcome, manner: Manner): ExitCode {
  if (outcome.kind === 'trouble') {
    reportTrouble(outcome.trouble, manner.json)
    return outcome.exit
  }
  printOut(formatSent(outcome, manner))
  return EXIT.done
}
