/**
 * `agentd board`: who is at which files just now, and who holds which lease.
 *
 * It is read as every recipient reads it, from the frames that say so. What a session announced that has ended holds
 * nobody back and is left out, unless it is asked for (HD-08).
 */
import { Command } from 'commander'
import { systemClock } from '../../../core/clock.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { formatCount } from '../../../core/text/counts.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { formatBoard } from '../../items/board-line.ts'
import { mayPage, readFlag } from '../../run/options.ts'
import { asParticipant } from '../../run/reach.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function boardCommand(): Command {
  return new Command('board')
    .helpGroup(GROUPS.files)
    .summary('Who is at which files, and who holds which lease')
    .description('Who is at which files just now, and who holds which lease')
    .option('--all', 'also what sessions announced that have left')
    .option('--no-pager', 'print it all at once, however long it is')
    .addHelpText('after', '\nExample: agentd board\n         agentd board --all --json')
    .action(runs(board))
}

async function board(context: CommandContext): Promise<ExitCode> {
  const { output, options } = context
  // Most commands read no board, and start without what it takes.
  const { boardLineToWire, readBoardLines } = await import('../../leases/board-lines.ts')
  const { handle, lines, isCut } = await asParticipant(context, (participant) =>
    readBoardLines(participant, systemClock),
  )
  const shown = readFlag(options, 'all') ? lines : lines.filter(({ hasLeft }) => !hasLeft)
  const leftOut = lines.length - shown.length
  output.data({ handle, entries: shown.map(boardLineToWire), leftOut })
  if (shown.length === 0) output.say('nothing is announced just now')
  else {
    const { paint, columns } = output
    output.answerLong(formatBoard(shown, { paint, columns }), mayPage(options))
  }
  if (leftOut > 0) output.note(`${formatCount(leftOut, 'announcement')} of sessions that have left: --all`)
  if (isCut) output.note('There were more frames than were looked at: what is oldest may be missing.')
  return EXIT.done
}
