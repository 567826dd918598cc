/**
 * Printing what came of a one-shot command, on the full way; `fast.ts` has its own order of loading.
 */
import { EXIT, type ExitCode } from './exit.ts'
import { printOut } from './print.ts'
import { reportTrouble } from './report.ts'
import { formatSent, type Manner, type VerbOutcome } from './verb-report.ts'

/** @returns the exit code */
export function tellOutcome(outcome: VerbOutcome, manner: Manner): ExitCode {
  if (outcome.kind === 'trouble') {
    reportTrouble(outcome.trouble, manner.json)
    return outcome.exit
  }
  printOut(formatSent(outcome, manner))
  return EXIT.done
}
