/**
 * The one-shot commands of `verbs/flags.ts`, with commander's messages and a daemon that is started on demand.
 */
import type { Command } from 'commander'
import { UsageError } from '../../../core/errors.ts'
import type { CommandContext } from '../../run/command-context.ts'
import { runs } from '../../run/command-context.ts'
import type { ExitCode } from '../../run/exit.ts'
import { findJsonFault } from '../../input/json-fault.ts'
import { readWait, readWaitTimeout } from '../../run/options.ts'
import { findNeed } from '../../needs/find-need.ts'
import { asParticipant } from '../../run/reach.ts'
import { addressed } from '../../verbs/addressed.ts'
import { NotJson } from '../../verbs/arguments.ts'
import { isWholeId, type RawArguments, type VerbInvocation } from '../../verbs/argv.ts'
import { VERB_COMMANDS } from '../../verbs/flags.ts'
import type { VerbCommand } from '../../verbs/verb-command.ts'
import { rawArguments, verbCommand } from '../../verbs/as-command.ts'
import type { VerbOutcome } from '../../verbs/report.ts'
import { runVerb } from '../../verbs/run.ts'
import { loadReport, sendStarting } from '../../verbs/starting.ts'
import { sendAndWait } from './wait-for-receipts.ts'
import { tellOutcome } from '../../verbs/tell-outcome.ts'

/**
 * Name → what makes the command: one per row of the table, but for those that tell more than the answer, which are in
 * `commands/leases`.
 */
export const VERBS: Readonly<Record<string, () => Command>> = Object.fromEntries(
  Object.entries<VerbCommand>(VERB_COMMANDS)
    .filter(([, { tells }]) => tells !== true)
    .map(([name, row]) => [
      name,
      () => verbCommand(name, row).action(runs((context) => perform(row, context))),
    ]),
)

async function perform(command: VerbCommand, context: CommandContext): Promise<ExitCode> {
  const { output, options } = context
  const invocation: VerbInvocation = {
    command,
    raw: await wholeIds(command, await addressed(rawArguments(command, context), context), context),
    socket: context.socket,
    token: context.token,
    as: context.as,
    json: output.json,
    quiet: output.quiet,
  }
  const wait = readWait(options)
  const timeoutMs = readWaitTimeout(options)
  const outcome = await call(invocation, context)
  if (wait === undefined || outcome.kind !== 'sent') return tellOutcome(outcome, invocation, loadReport)
  return sendAndWait({ outcome, wait, timeoutMs }, context)
}

/** A beginning of an id is looked up among what needs the person. @throws UsageError for one that is not there */
async function wholeIds(
  { args }: VerbCommand,
  raw: RawArguments,
  context: CommandContext,
): Promise<RawArguments> {
  const place = args.findIndex(({ form }) => form === 'need')
  const given = raw.positionals[place]
  if (given === undefined || isWholeId(given)) return raw
  const { needs } = await asParticipant(context, (_participant, client) => client.needs())
  return { ...raw, positionals: raw.positionals.with(place, findNeed(needs, given).needId) }
}

async function call(invocation: VerbInvocation, context: CommandContext): Promise<VerbOutcome> {
  try {
    return await sendStarting(() => runVerb(invocation), context)
  } catch (error) {
    if (error instanceof NotJson) throw explain(error)
    throw error
  }
}

function explain(error: NotJson): UsageError {
  const { line, column } = findJsonFault(error.text) ?? { line: 1, column: 1 }
  return new UsageError(`The payload stops being JSON at line ${line}, column ${column}.`, { cause: error })
}
