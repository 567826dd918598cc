/**
 * `agentd decide`: an answer to a decision, one of its options or one of the two ways around them (W-9).
 */
import { Command } from 'commander'
import type { FrameOf, PersonNeed } from '../../../client/index.ts'
import { UsageError } from '../../../core/errors.ts'
import { formatDecision, type Decision } from '../../../protocol/decision.ts'
import { formatReached } from '../../../protocol/verb/sent-line.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { respond } from '../../needs/answer.ts'
import { findNeed } from '../../needs/find-need.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readTextOption } from '../../run/options.ts'
import { asParticipant } from '../../run/reach.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function decideCommand(): Command {
  return new Command('decide')
    .helpGroup(GROUPS.ask)
    .summary('Answer a decision, or send the question back')
    .description('Answer a decision: choose an option, say something else, or send the question back')
    .argument('<id>', 'the id of "agentd needs", or a beginning of it')
    .argument('[option]', 'the number of an option, from 1, or its label')
    .option('--other <text>', 'an answer that is none of the options')
    .option('--revise <text>', 'why the question is another one')
    .option('--note <text>', 'what you want to say besides')
    .addHelpText('after', '\nExample: agentd decide 4f1c0a52 2 --note "but after the release"')
    .action(runs(decide))
}

function decide(context: CommandContext): Promise<ExitCode> {
  const { args, output, token } = context
  const [given = '', option] = args
  const wish = readWish(context, option)
  return asParticipant(context, async (participant, client) => {
    const need = findNeed((await client.needs()).needs, given)
    const decision = toDecision(wish, requireDecision(need))
    const sent = await respond(
      { participant, isSession: token !== undefined },
      need,
      formatDecision(decision),
    )
    output.data(sent)
    const said = decision.kind === 'option' ? decision.label : decision.kind
    output.say(`${safeLine(`decided: ${said}`)}${formatReached(sent)}`)
    return EXIT.done
  })
}

/** What was asked for on the command line; exactly one of the three. */
interface Wish {
  readonly option: string | undefined
  readonly other: string | undefined
  readonly revise: string | undefined
  readonly note: string | undefined
}

function readWish({ options }: CommandContext, option: string | undefined): Wish {
  const [other, revise, note] = ['other', 'revise', 'note'].map((name) => readTextOption(options, name))
  const given = [option, other, revise].filter((one) => one !== undefined)
  if (given.length === 1) return { option, other, revise, note }
  throw new UsageError('Give one of an option (its number or its label), --other and --revise.')
}

function requireDecision({
  frame,
  type,
  needId,
}: PersonNeed): FrameOf<'agent_binding_moment'>['payload']['question'] {
  if (frame?.kind === 'agent_binding_moment') return frame.payload.question
  throw new UsageError(
    safeLine(`"${needId}" is no decision but a ${type}; "agentd needs" says how it is answered.`),
  )
}

type Question = ReturnType<typeof requireDecision>

/** @throws UsageError for an option that is not there, and for a way that the asker has closed (AC-089) */
function toDecision({ option, other, revise, note }: Wish, { options, hatches }: Question): Decision {
  if (option !== undefined) return { kind: 'option', ...requireOption(options, option), note }
  const kind = other === undefined ? 'revise' : 'other'
  const isOpen = (kind === 'other' ? hatches?.free_text : hatches?.dialogue) !== false
  const text = (other ?? revise ?? '').trim()
  if (!isOpen) throw new UsageError(`Whoever asks takes no answer with --${kind}.`)
  if (text === '') throw new UsageError(`--${kind} is empty.`)
  return { kind, text, note }
}

function requireOption(options: Question['options'], wanted: string): { index: number; label: string } {
  const index = /^\d+$/.test(wanted)
    ? Number(wanted) - 1
    : options.findIndex(({ label }) => isLabel(label, wanted))
  const label = options[index]?.label
  if (label !== undefined) return { index, label }
  const all = options.map((one, i) => `${i + 1}) ${one.label}`).join(', ')
  throw new UsageError(safeLine(`"${wanted}" is none of the options: ${all}.`))
}

function isLabel(label: string, wanted: string): boolean {
  return label.trim().toLowerCase() === wanted.trim().toLowerCase()
}
