/**
 * `agentd approve` and `agentd reject`: whether a task may be done, said about its very bytes (W-9, SEAT-11).
 */
import { Command } from 'commander'
import type { Envelope, Participant, PersonNeed } from '../../../client/index.ts'
import {
  composeVerdict,
  readApprovalRequest,
  taskHash,
  type ApprovalRequest,
} from '../../../aee/intents/approval.ts'
import type { Key } from '../../../aee/keys/key.ts'
import { AgentdError, UsageError } from '../../../core/errors.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { formatReached } from '../../../protocol/verb/sent-line.ts'
import { asEntity } from '../../envelope/as-entity.ts'
import { KeyFolder } from '../../keys/key-folder.ts'
import { endTask, requireTask } from '../../needs/answer.ts'
import { findNeed } from '../../needs/find-need.ts'
import { formatAsked } from '../../needs/need-view.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readFlag, readTextOption } from '../../run/options.ts'
import { asParticipant } from '../../run/reach.ts'
import { confirm, requireSomebody } from '../../setup/confirm.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command that says yes. */
export function approveCommand(): Command {
  return verdictCommand('approve', 'Say that a task may be done', true)
}

/** The command that says no. */
export function rejectCommand(): Command {
  return verdictCommand('reject', 'Say that a task may not be done', false)
}

function verdictCommand(name: string, says: string, approved: boolean): Command {
  return new Command(name)
    .helpGroup(GROUPS.ask)
    .summary(says)
    .description(`${says}; asks once more on a terminal`)
    .argument('<id>', 'the id of "agentd needs", or a beginning of it')
    .option('--note <text>', 'what you want to say besides')
    .option('--sign <kid>', 'sign with this key (default: one of yours that is for you, where there is one)')
    .option('--yes', 'do not ask once more')
    .addHelpText('after', `\nExample: agentd ${name} 01JD8XKQ`)
    .action(runs((context) => decideTask(context, approved)))
}

async function decideTask(context: CommandContext, approved: boolean): Promise<ExitCode> {
  const [given = ''] = context.args
  if (!readFlag(context.options, 'yes')) requireSomebody(context, 'give --yes')
  const need = await asParticipant(context, async (participant, client) => {
    const found = findNeed((await client.needs()).needs, given)
    const request = requireApproval(found)
    const seen = await lookAtTask(participant, request)
    // What is not what it says cannot be approved; rejecting it is always right.
    if (seen === 'another' && approved)
      throw new UsageError(
        `The task ${request.task.id} is not what is asked about: its bytes have another hash.`,
      )
    tell(found, seen, context)
    context.output.note(`Your answer: ${howSigned(findKey(context, requireTask(found).to))}.`)
    return found
  })
  if (!readFlag(context.options, 'yes') && !confirm(context, approved ? 'Approve it?' : 'Reject it?')) {
    context.output.say('nothing was said')
    return EXIT.done
  }
  return send(context, need, approved)
}

function send(context: CommandContext, need: PersonNeed, approved: boolean): Promise<ExitCode> {
  const { output, options } = context
  const task = requireTask(need)
  const sign = findKey(context, task.to)
  const verdict = { approved, task: requireApproval(need).task, note: readTextOption(options, 'note') }
  return asEntity(context, task.to, async (participant) => {
    const sent = await endTask(participant, task, { type: 'result', payload: composeVerdict(verdict), sign })
    output.data(sent)
    output.say(`${approved ? 'approved' : 'rejected'} (${howSigned(sign)})${formatReached(sent)}`)
    return EXIT.done
  })
}

/** @throws UsageError for what asks for no approval */
function requireApproval(need: PersonNeed): ApprovalRequest {
  const request = need.type === 'approval' ? readApprovalRequest(requireTask(need).payload) : undefined
  if (request !== undefined) return request
  const what = need.type === 'approval' ? 'names no task' : `is no approval but a ${need.type}`
  throw new UsageError(safeLine(`"${need.needId}" ${what}; "agentd needs" says how it is answered.`))
}

/** Whether the task that is asked about is there, byte for byte. */
async function lookAtTask(
  participant: Participant,
  { task }: ApprovalRequest,
): Promise<Envelope | 'another' | undefined> {
  try {
    const { envelope, text } = await participant.envelope(task.id)
    return taskHash(text) === task.hash ? envelope : 'another'
  } catch (error) {
    if (error instanceof AgentdError && error.code === 'not-found') return undefined
    throw error
  }
}

/** What is about to be said yes or no to. */
function tell(need: PersonNeed, seen: Envelope | 'another' | undefined, { output }: CommandContext): void {
  const { notePaint: paint, noteColumns: columns } = output
  output.note(formatAsked(need, need.needId, { paint, columns, nowMs: Date.now() }))
  if (seen === undefined)
    output.note('The task itself is not retained here: only the words above say what it is.')
  else if (seen === 'another')
    output.note('The task that is retained under this id has other bytes than the one asked about.')
  else output.note(safeLine(`The task: ${JSON.stringify(seen.payload)}`))
}

/** Whether whoever asks can prove who answered (SEAT-05). */
function howSigned(key: Key | undefined): string {
  return key === undefined ? 'not signed' : `signed with ${safeLine(key.kid)}`
}

function findKey({ environment, options }: CommandContext, entity: string): Key | undefined {
  const folder = new KeyFolder(environment)
  const kid = readTextOption(options, 'sign')
  if (kid !== undefined) return folder.require(kid)
  return folder.read().findSigner(entity, Date.now())
}
