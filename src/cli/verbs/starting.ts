/**
 * A verb to the daemon that is there; only when there is none, one is started and asked again.
 */
import type { CommandContext } from '../run/command-context.ts'
import { reachDaemon } from '../run/reach.ts'
import { reportTrouble, reportUnanswered } from '../run/report.ts'
import type { VerbOutcome } from './report.ts'
import type { VerbRun } from './run.ts'
import type { Report } from './tell-outcome.ts'

/** @throws whatever `send` throws, and AgentdUnreachable when none could be started */
export async function sendStarting(
  send: () => Promise<VerbRun>,
  context: CommandContext,
): Promise<VerbOutcome> {
  const { outcome, again } = await send()
  if (outcome.kind !== 'absent' || !context.mayStart) return outcome
  const client = await reachDaemon(context)
  await client.close()
  return again()
}

/** How trouble is told: on the full way it is there already. */
export const loadReport = (): Promise<Report> => Promise.resolve({ reportTrouble, reportUnanswered })
