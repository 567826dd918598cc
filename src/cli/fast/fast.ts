/**
 * The hook path: one verb and its answer in little more than the time Node takes to start.
 *
 * Bundled to one CommonJS file without commander, zod or an ESM graph. Whatever it does not fully understand
 * it leaves to the full command line, which is slower and says more; nothing has been sent by then.
 *
 * @see P-06
 */
import { AgentdError, UsageError } from '../../core/errors.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import { EXIT } from '../run/exit.ts'
import { printOut } from '../terminal/print.ts'
import type { Trouble } from '../run/report.ts'
import { readArgv, type VerbInvocation } from '../verbs/argv.ts'
import type { OneAnswer } from '../../client/http/one-call.ts'
import { formatSent, readOutcome } from '../verbs/report.ts'
import { runVerb } from '../verbs/run.ts'

/** What the launcher can load when it is needed: two modules that are not in the bundle. */
export interface Reserve {
  /** The full command line. */
  readonly main: () => Promise<{ readonly main: (argv: readonly string[]) => Promise<void> }>
  /** Telling trouble: its safe text, which no answer that is well needs. */
  readonly report: () => Promise<{ readonly reportTrouble: (trouble: Trouble, json: boolean) => void }>
}

/**
 * Runs the command, or hands it over.
 *
 * @param argv - what follows the program's name
 */
export async function runFast(argv: readonly string[], reserve: Reserve): Promise<void> {
  // Stdin can be read only once, and whoever reads it must not hand over any more.
  const invocation = argv.includes('-') ? undefined : readArgv(argv)
  const answer = invocation === undefined ? undefined : await findAnswer(invocation)
  if (invocation === undefined || answer === undefined || answer.kind === 'absent') {
    return (await reserve.main()).main(argv)
  }
  const outcome = readOutcome(answer)
  if (outcome.kind === 'trouble') {
    const { reportTrouble } = await reserve.report()
    reportTrouble(outcome.trouble, invocation.json)
    process.exit(outcome.exit)
  }
  printOut(formatSent(outcome, invocation))
  // All is written; taking Node apart in good order would cost another two milliseconds.
  process.exit(EXIT.done)
}

/** @returns undefined for a command the full way has to explain; nothing was sent then */
async function findAnswer(invocation: VerbInvocation): Promise<OneAnswer | undefined> {
  try {
    return (await runVerb(invocation)).answer
  } catch (error) {
    if ([UsageError, AgentdError, HostRefusal].some((kind) => error instanceof kind)) return undefined
    throw error
  }
}
