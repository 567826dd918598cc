/**
 * `agentd takeover`: what another session has handed over, as it was written, and claimed.
 *
 * The text is all here before it is claimed, a new file is on the disk by then, and standard output is written last. So
 * whatever ends the command in between, nothing is lost: what is claimed and not printed is printed by `--peek`.
 *
 * @see memo §5.3; HO-04, HO-05
 */
import { Command } from 'commander'
import type { FoundHandover, TakeOver, TakeOverOptions } from '../../../client/index.ts'
import { AgentdError, UsageError } from '../../../core/errors.ts'
import { formatAgo } from '../../../core/text/durations.ts'
import { octetLength } from '../../../core/text/octets.ts'
import { quoted } from '../../../core/text/quoted.ts'
import { safeBlock, safeLine } from '../../../core/text/safe-text.ts'
import { messageOf } from '../../../core/thrown.ts'
import { SHELL_SESSION_ID } from '../../../protocol/board/handovers.ts'
import { writtenIn } from '../../handover/here.ts'
import { asOwnSession } from '../../handover/own-session.ts'
import { openTextFile, type TextFile } from '../../handover/text-file.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readFlag, readTextOption } from '../../run/options.ts'
import { asParticipant } from '../../run/reach.ts'
import { reportTrouble } from '../../run/report.ts'
import { introduceSession, readSessionNames, type SessionNames } from '../../run/session-names.ts'
import { printError, printOut } from '../../terminal/print.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function takeoverCommand(): Command {
  return new Command('takeover')
    .helpGroup(GROUPS.tell)
    .summary('Print what was handed over, and claim it')
    .description('Take over what was handed over: print it as it was written, and say that you have it')
    .argument('[frame]', 'the id of the handover, or a beginning of it (default: the newest written here)')
    .option('--latest', 'the newest, wherever it was written')
    .option('--to <file>', 'write it to a new file; - is standard output (default: -)')
    .option('--peek', 'only look: claim nothing, and print also what somebody else has')
    .addHelpText('after', '\nExample: agentd takeover --to handover.md')
    .action(runs(takeover))
}

async function takeover(given: CommandContext): Promise<ExitCode> {
  const { options, args } = given
  const [frame] = args
  const latest = readFlag(options, 'latest')
  if (frame !== undefined && latest) throw new UsageError('Give the id of a handover or --latest, not both.')
  const path = readTextOption(options, 'to') ?? '-'
  const file = path === '-' ? undefined : openTextFile(path)
  const wish: TakeOverOptions = {
    frame,
    peek: readFlag(options, 'peek'),
    admits: frame === undefined && !latest ? await writtenIn(process.cwd()) : undefined,
    beforeClaim: ({ text }) => (file?.isNew === true ? file.write(text) : undefined),
  }
  const context = await asOwnSession(given)
  const { outcome, names } = await asParticipant(context, async (participant) => ({
    outcome: await participant.takeOver(wish).catch((error: unknown) => {
      // Refused is not claimed. Where it is not known, what was written stays.
      if (error instanceof AgentdError) file?.remove()
      throw error
    }),
    names: context.output.json ? new Map<string, string>() : await readSessionNames(participant),
  }))
  return tell(outcome, { context, names, file, path })
}

/** Where it goes, and how it is told. */
interface Telling {
  readonly context: CommandContext
  readonly names: SessionNames
  readonly file: TextFile | undefined
  readonly path: string
}

function tell(outcome: TakeOver, telling: Telling): ExitCode {
  const { context, file, names } = telling
  const { output } = context
  if (outcome.state === 'taken') return tellTaken(outcome, telling)
  file?.remove()
  output.data(outcome)
  if (outcome.state === 'none') {
    const { others } = outcome
    const more = others === 0 ? '' : `; ${others} elsewhere or for others: agentd takeover --latest`
    output.note(`Nothing is handed over here${more}`)
    return EXIT.nothing
  }
  const { handover, holder, free } = outcome
  const who = whoseOf(holder, holder.sessionId, names)
  const id = shortOf(handover)
  const taken = `${who} took ${id} over ${agoOf(holder.since)}.`
  const again = free === undefined ? '' : `An older one is nobody's yet: agentd takeover ${shortOf(free)}\n`
  reportTrouble({ code: 'held', message: taken }, output.json)
  if (!output.json) printError(`To read it all the same: agentd takeover ${id} --peek\n${again}`)
  return EXIT.held
}

function tellTaken(outcome: Extract<TakeOver, { state: 'taken' }>, telling: Telling): ExitCode {
  const { context, file, names, path } = telling
  const { output } = context
  const { handover, holder, claim } = outcome
  output.data({ ...outcome, handover: { ...handover, octets: octetLength(handover.text) } })
  if (!output.json || file !== undefined) write(handover, claim !== undefined, telling)
  const verb =
    claim !== undefined ? 'took over' : holder === undefined ? 'not taken over yet:' : 'read again:'
  const size = `${octetLength(handover.text)} octets${file === undefined ? '' : ` in ${safeLine(path)}`}`
  const { node } = handover
  const where = node === undefined ? '' : ` on the machine ${quoted(node)}`
  const from = `${whoseOf(handover, handover.previousSessionId, names)}${where}`
  output.note(`${verb} ${shortOf(handover)}, from ${from}, ${agoOf(handover.at)}, ${size}`)
  return EXIT.done
}

/** @throws UsageError that says how to have it still */
function write(handover: FoundHandover, isClaimed: boolean, { context, file }: Telling): void {
  const { output } = context
  try {
    if (file !== undefined) file.write(handover.text)
    else if (output.isTerminal) printOut(forTerminal(handover.text, output))
    else printOut(handover.text)
  } catch (error) {
    if (!isClaimed) throw error
    const again = `It is yours, and agentd takeover ${shortOf(handover)} --peek prints it again.`
    throw new UsageError(`${messageOf(error).replace(/\.$/, '')}. ${again}`, { cause: error })
  }
}

/** What would steer the terminal is left out there, and nowhere else (HD-18). */
function forTerminal(text: string, output: CommandContext['output']): string {
  const shown = safeBlock(text)
  const plain = text.replaceAll(/\r\n/g, '\n')
  if (shown.length < plain.length)
    output.note('Some characters steer a terminal and are left out here; --to FILE has all of it.')
  return shown.endsWith('\n') ? shown : `${shown}\n`
}

/** A shell has no name; of a session the name and the address. */
function whoseOf({ from }: Pick<FoundHandover, 'from'>, sessionId: string, names: SessionNames): string {
  return sessionId === SHELL_SESSION_ID ? 'a shell of yours' : introduceSession(from, names)
}

function agoOf(time: string): string {
  return formatAgo(Date.now() - Date.parse(time))
}

/** As much of the id as tells it from others. */
function shortOf({ frameId }: FoundHandover): string {
  return frameId.slice(0, 8)
}
