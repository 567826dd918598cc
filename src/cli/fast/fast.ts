/**
 * The short way of a one-shot command: one verb and its answer in little more than the time Node takes to start.
 *
 * Bundled to one CommonJS file without commander, zod or an ESM graph. Whatever it does not fully understand
 * it leaves to the full command line, which is slower and says more; nothing has been sent by then.
 *
 * @see P-06
 */
import { AgentdError, UsageError } from '../../core/errors.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import { readArgv, type VerbInvocation } from '../verbs/argv.ts'
import type { VerbOutcome } from '../verbs/report.ts'
import { runVerb } from '../verbs/run.ts'
import { tellOutcome, type Report } from '../verbs/tell-outcome.ts'

/** What the launcher can load when it is needed: two modules that are not in the bundle. */
export interface Reserve {
  /** The full command line. */
  readonly main: () => Promise<{ readonly main: (argv: readonly string[]) => Promise<void> }>
  /** Telling trouble: its safe text, which no answer that is well needs. */
  readonly report: () => Promise<Report>
}

/**
 * Runs the command, or hands it over.
 *
 * @param argv - what follows the program's name
 */
export async function runFast(argv: readonly string[], reserve: Reserve): Promise<void> {
  // Stdin can be read only once, and whoever reads it must not hand over any more.
  const invocation = argv.includes('-') ? undefined : readArgv(argv)
  const outcome = invocation === undefined ? undefined : await findOutcome(invocation)
  if (invocation === undefined || outcome === undefined || outcome.kind === 'absent') {
    return (await reserve.main()).main(argv)
  }
  // When all is written: taking Node apart in good order would cost another two milliseconds.
  process.exit(await tellOutcome(outcome, invocation, reserve.report))
}

/** @returns undefined for a command the full way has to explain; nothing was sent then */
async function findOutcome(invocation: VerbInvocation): Promise<VerbOutcome | undefined> {
  try {
    return (await runVerb(invocation)).outcome
  } catch (error) {
    if ([UsageError, AgentdError, HostRefusal].some((kind) => error instanceof kind)) return undefined
    throw error
  }
}
