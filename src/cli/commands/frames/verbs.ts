/**
 * The one-shot commands of `verbs/flags.ts`, with commander's messages and a daemon that is started on demand.
 */
import { Argument, Command, Option } from 'commander'
import { UsageError } from '../../../core/errors.ts'
import type { CommandContext } from '../../run/command-context.ts'
import { runs } from '../../run/command-context.ts'
import type { ExitCode } from '../../run/exit.ts'
import { findJsonFault } from '../../input/json-fault.ts'
import { readTextOption, readWait, readWaitTimeout } from '../../run/options.ts'
import { findNeed } from '../../needs/find-need.ts'
import { asParticipant, reachDaemon } from '../../run/reach.ts'
import { reportTrouble, reportUnanswered } from '../../run/report.ts'
import { addressed } from '../../verbs/addressed.ts'
import { NotJson } from '../../verbs/arguments.ts'
import { isWholeId, type RawArguments, type VerbInvocation } from '../../verbs/argv.ts'
import { VERB_COMMANDS } from '../../verbs/flags.ts'
import type { VerbCommand, VerbFlag } from '../../verbs/verb-command.ts'
import type { VerbOutcome } from '../../verbs/report.ts'
import { runVerb } from '../../verbs/run.ts'
import { sendAndWait } from './wait-for-receipts.ts'
import { tellOutcome } from '../../verbs/tell-outcome.ts'

/** One command per row of the table. */
export function verbCommands(): readonly Command[] {
  return Object.entries<VerbCommand>(VERB_COMMANDS).map(([name, row]) => {
    const command = new Command(name).description(row.says)
    for (const { name: argument, optional, says } of row.args) {
      command.addArgument(new Argument(optional === true ? `[${argument}]` : `<${argument}>`, says))
    }
    for (const flag of row.flags) command.addOption(optionOf(flag))
    return command
      .addHelpText('after', `\nExample: ${row.example}`)
      .action(runs((context) => perform(row, context)))
  })
}

function optionOf(flag: VerbFlag): Option {
  const { value } = flag
  const option = new Option(value === undefined ? `--${flag.name}` : `--${flag.name} <${value}>`, flag.says)
  if (flag.choices !== undefined) option.choices([...flag.choices])
  if (flag.required === true) option.makeOptionMandatory()
  if (flag.form !== 'texts' && flag.form !== 'places') return option
  return option.argParser<readonly string[] | undefined>((value, earlier) => [...(earlier ?? []), value])
}

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

/** It is there already. */
const loadReport = () => Promise.resolve({ reportTrouble, reportUnanswered })

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

/** Asks the daemon that is there; only when there is none, one is started and asked again. */
async function call(invocation: VerbInvocation, context: CommandContext): Promise<VerbOutcome> {
  try {
    const { outcome, again } = await runVerb(invocation)
    if (outcome.kind !== 'absent' || !context.mayStart) return outcome
    const client = await reachDaemon(context)
    await client.close()
    return await again()
  } catch (error) {
    if (error instanceof NotJson) throw explain(error)
    throw error
  }
}

function explain(error: NotJson): UsageError {
  const { line, column } = findJsonFault(error.text) ?? { line: 1, column: 1 }
  return new UsageError(`The payload stops being JSON at line ${line}, column ${column}.`, { cause: error })
}

function rawArguments(command: VerbCommand, { args, options }: CommandContext): RawArguments {
  const flags = new Map<string, readonly string[]>()
  for (const flag of command.flags) {
    const attribute = optionOf(flag).attributeName()
    const value: unknown = options[attribute]
    if (Array.isArray(value)) flags.set(flag.name, value.map(String))
    const text = readTextOption(options, attribute)
    if (text !== undefined) flags.set(flag.name, [text])
    // Commander says "it is not" of an option that begins with `no-`, and "it is" where that was not given.
    if (flag.form === 'off' && value === false) flags.set(flag.name, [])
  }
  return { positionals: args, flags }
}
