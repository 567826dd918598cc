/**
 * `agentd locks`: which leases live, as any recipient works them out from the frames (AC-034, AC-038).
 */
import { Command } from 'commander'
import { GROUPS } from '../../help/groups.ts'
import { formatCount } from '../../../core/text/counts.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readFlag } from '../../run/options.ts'
import { asParticipant } from '../../run/reach.ts'

/** The command. */
export function locksCommand(): Command {
  return new Command('locks')
    .helpGroup(GROUPS.files)
    .summary('Who holds which lease, on what and for how long')
    .description('Who holds which lease, on what and for how long; nobody is kept out')
    .option('--all', 'also those of sessions that have left')
    .addHelpText('after', '\nExample: agentd locks\n         agentd locks --json')
    .action(runs(locks))
}

async function locks(context: CommandContext): Promise<ExitCode> {
  const { output, options } = context
  const [{ readLeaseLines }, { formatLeases, leaseToWire }] = await Promise.all([
    import('../../leases/lease-words.ts'),
    import('../../leases/lease-table.ts'),
  ])
  const { leases, from, isCut } = await asParticipant(context, readLeaseLines)
  const shown = (readFlag(options, 'all') ? leases : leases.filter(({ hasLeft }) => !hasLeft)).toSorted(
    (a, b) => a.untilMs - b.untilMs,
  )
  const leftOut = leases.length - shown.length
  output.data({ locks: shown.map((line) => leaseToWire(line, from, Date.now())), leftOut })
  if (shown.length === 0) output.say('no lease is announced just now')
  else output.answer(formatLeases(shown, from, output))
  if (leftOut > 0) output.note(`${formatCount(leftOut, 'lease')} of sessions that have left: --all`)
  if (isCut) output.note('There were more frames than were looked at: what is oldest may be missing.')
  return EXIT.done
}
