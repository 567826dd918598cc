/**
 * `agentd observe`: what this machine shows of who works in a place, beside what they told the daemon. It reads, starts no
 * daemon and sends no frame.
 *
 * @see memo §1 on SUBSTRATE; docs/commands.md "What the machine shows"
 */
import { Command } from 'commander'
import { AgentdUnreachable } from '../../../client/index.ts'
import { systemClock } from '../../../core/clock.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { asParticipant } from '../../run/reach.ts'
import { GROUPS } from '../../help/groups.ts'

type Told = Awaited<ReturnType<Awaited<ReturnType<typeof loadObservation>>['readTold']>>

/** The command. */
export function observeCommand(): Command {
  return new Command('observe')
    .helpGroup(GROUPS.read)
    .summary('What the machine shows of who works in a repository')
    .description('What the machine shows of who works in a repository, beside what sessions told')
    .argument('[path]', 'a folder or a file (default: here)')
    .addHelpText(
      'after',
      `
Worktrees and their heads, index.lock and who has it open, agents and gits by their processes, what is not
committed, and who announced it. What cannot be seen is named. Changes nothing and starts no daemon; without
one, sessions are not known.

Example: agentd observe
         agentd observe ../api --json`,
    )
    .action(runs(observe))
}

async function observe(context: CommandContext): Promise<ExitCode> {
  const { args, environment, output } = context
  const [path = '.'] = args
  const { observePlace, formatObservation, readTold, toData } = await loadObservation()
  const told = await readWhatWasTold(context, readTold)
  const seen = await observePlace({ path, environment, told })
  output.data(toData(seen))
  const { paint, columns } = output
  output.answer(formatObservation(seen, { paint, columns, nowMs: systemClock.nowMs(), uid: environment.uid }))
  return EXIT.done
}

/** Nobody starts a daemon to ask it what it cannot know. */
async function readWhatWasTold(
  context: CommandContext,
  readTold: (typeof import('../../observation/told.ts'))['readTold'],
): Promise<Told | undefined> {
  try {
    return await asParticipant({ ...context, mayStart: false }, (participant) =>
      readTold(participant, systemClock),
    )
  } catch (error) {
    if (error instanceof AgentdUnreachable && !error.isSilent) return undefined
    throw error
  }
}

/** No other command needs any of it. */
async function loadObservation() {
  const [{ observePlace }, { readTold }, { formatObservation }, { toData }] = await Promise.all([
    import('../../observation/look.ts'),
    import('../../observation/told.ts'),
    import('../../observation/report.ts'),
    import('../../observation/data.ts'),
  ])
  return { observePlace, readTold, formatObservation, toData }
}
