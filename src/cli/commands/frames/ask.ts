/**
 * `agentd ask`: a question, and the answers as they come.
 */
import { Command } from 'commander'
import { UsageError } from '../../../core/errors.ts'
import type { AgentResponse, AgentdClient, AskResult, Collect } from '../../../client/index.ts'
import { safeBlock, safeLine } from '../../../core/text/safe-text.ts'
import { TERMINAL_INSTRUMENT } from '../../../protocol/address/handle.ts'
import { awayWords, formatAddressees } from '../../../protocol/verb/sent-line.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { Countdown } from '../../terminal/countdown.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { untilInterrupted } from '../../run/interrupt.ts'
import { readDuration, readFlag, readTextOption } from '../../run/options.ts'
import { asParticipant } from '../../run/reach.ts'
import { introduceSession, readSessionNames, type SessionNames } from '../../run/session-names.ts'
import { reportTrouble } from '../../run/report.ts'
import { GROUPS } from '../../help/groups.ts'

/** How long answers are waited for when nobody says otherwise, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 60_000

/** The command. */
export function askCommand(): Command {
  return new Command('ask')
    .helpGroup(GROUPS.ask)
    .summary('Ask and wait for an answer')
    .description(
      'Ask and wait for an answer; fails at once if no agent listens, and with --people if nobody does',
    )
    .argument('<question>', 'the question')
    .option('--to <session>', 'who is asked: a name of "agentd roster", or a beginning of it or of an id')
    .option(
      '--scope <scope>',
      'who is asked: ~alice, ~alice/cc-*, ~alice/cc-opus@s1 (default: all your sessions)',
    )
    .option('--people', 'wait for an answer of a person too, where only terminals listen')
    .option('--timeout <duration>', 'how long to wait (default: 60s)')
    .option('--all', 'wait for an answer of everybody who was reached')
    .option('--deadline', 'take whatever comes until the time is over')
    .addHelpText('after', '\nExample: agentd ask "who is working on src/auth.ts?" --timeout 30s')
    .action(runs(askThem))
}

function askThem(context: CommandContext): Promise<ExitCode> {
  const { output, options, args } = context
  const [question = ''] = args
  const collect = readCollect(context)
  const timeoutMs = readDuration(options, 'timeout') ?? DEFAULT_TIMEOUT_MS
  const to = readTo(context)
  return asParticipant(context, (participant, client) =>
    untilInterrupted(async (signal) => {
      const names = await readSessionNames(participant)
      const countdown = new Countdown(output, timeoutMs)
      try {
        const onResponse = (response: AgentResponse): void => {
          countdown.clear()
          show(response, names, context)
          countdown.answeredBy(names.get(response.from) ?? response.from)
        }
        const wish = { to, timeoutMs, collect, agentsOnly: !asksPeople(context), signal, onResponse }
        const result = await participant.ask(question, wish)
        countdown.stop()
        return await conclude(result, { names, client }, context)
      } finally {
        countdown.stop()
      }
    }, EXIT.interrupted),
  )
}

/** Whoever is asked, as written: a name is looked up, a scope stays as it is. */
function readTo({ options }: CommandContext): string | undefined {
  const [to, scope] = [readTextOption(options, 'to'), readTextOption(options, 'scope')]
  if (to !== undefined && scope !== undefined) throw new UsageError('--to and --scope exclude each other.')
  return to ?? scope
}

/** Whether an answer of a person is waited for: that was said, or somebody is named, whoever that is. */
function asksPeople({ options }: CommandContext): boolean {
  const scope = readTextOption(options, 'scope') ?? ''
  const isNamed = readTextOption(options, 'to') !== undefined || scope.includes('@')
  return readFlag(options, 'people') || isNamed || scope.includes(`/${TERMINAL_INSTRUMENT}`)
}

function readCollect({ options }: CommandContext): Collect {
  const all = readFlag(options, 'all')
  const deadline = readFlag(options, 'deadline')
  if (all && deadline) throw new UsageError('--all and --deadline exclude each other.')
  if (all) return 'all'
  return deadline ? 'deadline' : 'first'
}

function show(
  { eventId, from, text, frame }: AgentResponse,
  names: SessionNames,
  { output }: CommandContext,
): void {
  output.data({ eventId, from, text, frame })
  const indented = safeBlock(text).replaceAll('\n', '\n  ')
  output.answer(output.quiet ? safeBlock(text) : `${output.paint.green(nameOf(from, names))}: ${indented}`)
}

/** Nothing waits for an answer any more, and yet the question is there: somebody may read it. */
async function unheardWords(
  { queryId, remote, recipients }: AskResult,
  client: AgentdClient,
): Promise<string> {
  const { needs } = await client.needs()
  const isNeed = needs.some(({ needId }) => needId === queryId)
  const where = isNeed ? '"agentd needs" and "agentd history" have it' : '"agentd history" has it'
  const away = awayWords(remote?.away)
  const terminals = recipients.length
  if (terminals > 0) {
    const went = formatAddressees({ recipientCount: terminals, queuedCount: 0, terminalCount: terminals })
    return `The question went${went} and to no agent, so no answer is waited for; it stays: ${where}. With --people a person's answer is waited for${away}.`
  }
  if (away === '')
    return `Nobody is listening just now, so no answer is waited for; the question stays: ${where}.`
  return `Nobody is listening just now${away}, so no answer is waited for; the question stays, and goes there when the link is back: ${where}.`
}

async function conclude(
  result: AskResult,
  { names, client }: { readonly names: SessionNames; readonly client: AgentdClient },
  { output }: CommandContext,
): Promise<ExitCode> {
  const { outcome, responses, recipients, dismissal, isTaken } = result
  if (outcome === 'answered') return EXIT.done
  if (outcome === 'dismissed') {
    const message = `No answer comes, the question was dismissed: ${dismissal?.summary}`
    reportTrouble({ code: 'dismissed', message }, output.json)
    return EXIT.dismissed
  }
  if (outcome === 'no-listener') {
    reportTrouble({ code: 'no-listener', message: await unheardWords(result, client) }, output.json)
    return EXIT.nobody
  }
  if (!isTaken) {
    const message =
      'The time is over, and the daemon has not said that it took the question: "agentd history" has it if it did.'
    reportTrouble({ code: 'deadline', message }, output.json)
    return EXIT.deadline
  }
  const silent = recipients.filter((address) => responses.every(({ from }) => from !== address))
  const who =
    silent.length === 0
      ? ''
      : ` Still silent: ${silent.map((address) => introduceSession(address, names)).join(', ')}.`
  // What goes to several wakes none of them.
  const [one = ''] = silent
  const wake = silent.length < 2 ? '' : ` A question to one alone may wake it: --to ${nameOf(one, names)}.`
  const message = `The time is over${responses.length === 0 ? ' and nobody has answered' : ''}.${who}${wake}`
  reportTrouble({ code: 'deadline', message }, output.json)
  return EXIT.deadline
}

function nameOf(address: string, names: SessionNames): string {
  return safeLine(names.get(address) ?? address)
}
