/**
 * `agentd dismiss`: whoever asks learns that no answer comes (SEAT-12). Nothing is hidden without being said.
 */
import { Command } from 'commander'
import type { PersonNeed } from '../../../client/index.ts'
import { UsageError } from '../../../core/errors.ts'
import { formatReached, type Addressees } from '../../../protocol/verb/sent-line.ts'
import { asEntity } from '../../envelope/as-entity.ts'
import { endTask, giveBack, requireTask } from '../../needs/answer.ts'
import { findNeed } from '../../needs/find-need.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readTextOption } from '../../run/options.ts'
import { asParticipant } from '../../run/reach.ts'
import { GROUPS } from '../../help/groups.ts'

/** What is said where the person gives no reason. */
const NO_ANSWER = 'Dismissed by the person; no answer comes.'

/** The command. */
export function dismissCommand(): Command {
  return new Command('dismiss')
    .helpGroup(GROUPS.ask)
    .description('Tell whoever asks that no answer comes')
    .argument('<id>', 'the id of "agentd needs", or a beginning of it')
    .option('--note <text>', 'why')
    .addHelpText('after', '\nExample: agentd dismiss 4f1c0a52 --note "ask me on Monday"')
    .action(runs(dismiss))
}

async function dismiss(context: CommandContext): Promise<ExitCode> {
  const { args, options, output } = context
  const [given = ''] = args
  const need = await asParticipant(context, async (_, client) =>
    findNeed((await client.needs()).needs, given),
  )
  const sent = await tellAsker(context, need, readTextOption(options, 'note') ?? NO_ANSWER)
  output.data(sent)
  output.say(`dismissed${formatReached(sent)}`)
  return EXIT.done
}

function tellAsker(context: CommandContext, need: PersonNeed, why: string): Promise<Addressees & object> {
  if (need.type === 'prompt')
    throw new UsageError('A session that waits at its own prompt is answered there, and nowhere else.')
  if (need.type !== 'task' && need.type !== 'approval') {
    const isSession = context.token !== undefined
    return asParticipant(context, (participant) => giveBack({ participant, isSession }, need, why))
  }
  const task = requireTask(need)
  const payload = { code: 'E_REJECTED', message: why, retryable: false }
  return asEntity(context, task.to, (participant) => endTask(participant, task, { type: 'error', payload }))
}
