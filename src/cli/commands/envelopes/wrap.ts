/**
 * `agentd wrap`: a gateway in front of a program that speaks JSON and knows nothing of envelopes.
 *
 * @see AEE-C18; AEE-C14: recording never disturbs what is recorded
 */
import { Command } from 'commander'
import { UsageError } from '../../../core/errors.ts'
import { runs, type ChildExit, type CommandContext } from '../../run/command-context.ts'
import { formatCount } from '../../../core/text/counts.ts'
import { EXIT } from '../../run/exit.ts'
import { KeyFolder } from '../../keys/key-folder.ts'
import { readFlag, readTextOption } from '../../run/options.ts'
import { readRecords, STDIN_NAME } from '../../input/records.ts'
import { reportTrouble } from '../../run/report.ts'
import { openSink, type WrapSink } from '../../wrap/sink.ts'
import { runWrapped } from '../../wrap/command.ts'
import { wrapFailure, openPair, requireGateway, toBody, type Gateway } from '../../wrap/pair.ts'
import { GROUPS } from '../../help/groups.ts'

/** A channel that nobody has to register: whoever wants to see the traffic listens to it. */
const DEFAULT_TO = 'bus.llm'

/** The command. */
export function wrapCommand(): Command {
  return new Command('wrap')
    .helpGroup(GROUPS.envelopes)
    .summary("Record a program's JSON as envelopes")
    .description("Record a program's JSON request and response as envelopes")
    .argument('[command...]', 'the program and its arguments, behind --; none: pairs are read from stdin')
    .requiredOption('--from <entity>', 'the gateway, such as gateway.llm')
    .option('--to <entity>', `who is told (default: ${DEFAULT_TO})`)
    .requiredOption('--intent <intent>', 'such as llm.completion; .request and .response are added')
    .option('--corr <corr>', 'the workflow it belongs to (default: a new one for each pair)')
    .option('--sign <kid>', 'sign with this key; "agentd keys list" shows them')
    .option('--emit', 'print the envelopes, one to a line; without a command this is the default')
    .option('--send', 'send them to the daemon; with a command this is the default')
    .addHelpText(
      'after',
      '\nExample: agentd wrap --from gateway.llm --intent llm.completion -- curl -s -d @- https://llm.example/v1',
    )
    .action(runs(wrap))
}

async function wrap(context: CommandContext): Promise<ChildExit> {
  const { args } = context
  const isCommand = args.length > 0
  const emits = readWay(context, !isCommand)
  const sink = openSink(emits, context)
  try {
    return isCommand ? await wrapCommandLine(args, { emits, sink }, context) : await wrapPairs(sink, context)
  } finally {
    await sink.close()
  }
}

/** @returns whether the envelopes are printed */
function readWay({ options }: CommandContext, fallback: boolean): boolean {
  const emit = readFlag(options, 'emit')
  const send = readFlag(options, 'send')
  if (emit && send) throw new UsageError('--emit and --send exclude each other.')
  return emit || (fallback && !send)
}

/** @throws as `requireGateway`, before a program is started or stdin is read */
function readGateway(context: CommandContext): Gateway {
  const { options, environment } = context
  const kid = readTextOption(options, 'sign')
  const gateway = {
    from: readTextOption(options, 'from') ?? '',
    to: readTextOption(options, 'to') ?? DEFAULT_TO,
    intent: readTextOption(options, 'intent') ?? '',
    corr: readTextOption(options, 'corr'),
    key: kid === undefined ? undefined : new KeyFolder(environment).require(kid),
  }
  requireGateway(gateway)
  return gateway
}

/** The program's exit code is the command's, whatever became of the envelopes. */
async function wrapCommandLine(
  command: readonly string[],
  { emits, sink }: { readonly emits: boolean; readonly sink: WrapSink },
  context: CommandContext,
): Promise<ChildExit> {
  const pair = openPair(readGateway(context))
  let requestId: string | undefined
  const run = await runWrapped(command, {
    passesOutput: !emits,
    // As soon as it is whole, so that a long call can be seen while it runs.
    onRequest: (input) => {
      requestId = sink.take(pair.request(toBody(input), Date.now()))
    },
  })
  const nowMs = Date.now()
  if (requestId !== undefined) {
    const failure = wrapFailure(run)
    sink.take(
      failure === undefined
        ? pair.response(toBody(run.output), requestId, nowMs)
        : pair.failure(failure, requestId, nowMs),
    )
  }
  if (run.fault !== undefined)
    reportTrouble({ code: 'usage', message: run.fault }, context.output.json, run.code)
  return { code: run.code }
}

/** Objects with a `request` and a `response` or an `error`, one to a line. */
async function wrapPairs(sink: WrapSink, context: CommandContext): Promise<ChildExit> {
  const gateway = readGateway(context)
  let broken = 0
  for await (const { bytes, line } of readRecords(STDIN_NAME)) {
    try {
      for (const envelope of openPair(gateway).both(bytes, Date.now())) sink.take(envelope)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      broken += 1
      context.output.note(`${line === undefined ? 'stdin' : `line ${line}`}: ${error.message}`)
    }
    await sink.settle()
  }
  const failed = broken + (await sink.close())
  if (failed > 0) context.output.note(`${formatCount(failed, 'record')} not wrapped or not sent.`)
  return { code: failed === 0 ? EXIT.done : EXIT.refused }
}
