/**
 * `agentd top`: the person's seat in a terminal.
 *
 * @see docs/ui.md "In a terminal"
 */
import { Command } from 'commander'
import { isatty } from 'node:tty'
import { PLAIN } from '../../../core/display/palette.ts'
import { UsageError } from '../../../core/errors.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import type { ExitCode } from '../../run/exit.ts'
import { readFlag } from '../../run/options.ts'
import { screenFormOf } from '../../seat/full-screen.ts'
import { GROUPS } from '../../help/groups.ts'

const STDIN = 0
const STDOUT = 1

/** The command. */
export function topCommand(): Command {
  return new Command('top')
    .helpGroup(GROUPS.seat)
    .summary('The same in this terminal')
    .description('Your seat in a terminal: who is here, what needs you, what passes')
    .option('--once', 'print one screen as text, as without a terminal, and sit nowhere')
    .addHelpText(
      'after',
      '\nWith --no-color it is the whole seat without colours, also where NO_COLOR is set.\n\nExample: agentd top --once',
    )
    .action(runs(top))
}

async function top(context: CommandContext): Promise<ExitCode> {
  const { environment, options, output } = context
  if (context.args.length > 0) throw new UsageError('"agentd top" takes no argument.')
  if (output.json) {
    throw new UsageError('"agentd top" is for people; "agentd needs" and "agentd roster" have JSON.')
  }
  const isPlain = options['color'] === false
  const isTaken = !readFlag(options, 'once') && isatty(STDIN) && isatty(STDOUT)
  const form = screenFormOf(environment.env, isPlain)
  const look = { ...context, paint: isPlain ? PLAIN : output.paint }
  // With all that it stands on, for this command alone.
  const { printTop, runTop } = await import('../../seat/run-top.ts')
  if (isTaken && form === 'full') return runTop(look)
  const exit = await printTop(look, (text) => output.answer(text))
  if (isTaken && form === 'no-color') output.note(WITHOUT_COLOURS)
  return exit
}

/** What is missed by whoever only wants no colours. */
const WITHOUT_COLOURS =
  'One screen as text, since NO_COLOR is set; the whole seat without colours is "agentd top --no-color".'
