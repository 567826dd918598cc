/**
 * `agentd top`: the person's seat in a terminal.
 *
 * @see docs/ui.md "In a terminal"
 */
import { Command } from 'commander'
import { isatty } from 'node:tty'
import { UsageError } from '../../../core/errors.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import type { ExitCode } from '../../run/exit.ts'
import { readFlag } from '../../run/options.ts'
import { isFullScreen } from '../../seat/full-screen.ts'

const STDIN = 0
const STDOUT = 1

/** The command. */
export function topCommand(): Command {
  return new Command('top')
    .description('Your seat in a terminal: who is here, what needs you, what passes')
    .option('--once', 'print one screen as text, as without a terminal, and sit nowhere')
    .addHelpText('after', '\nExample: agentd top --once')
    .action(runs(top))
}

async function top(context: CommandContext): Promise<ExitCode> {
  const { environment, options, output } = context
  if (context.args.length > 0) throw new UsageError('"agentd top" takes no argument.')
  if (output.json) {
    throw new UsageError('"agentd top" is for people; "agentd needs" and "agentd roster" have JSON.')
  }
  // With all that it stands on, for this command alone.
  const { printTop, runTop } = await import('../../seat/run-top.ts')
  const isShown = isatty(STDIN) && isatty(STDOUT) && isFullScreen(environment.env)
  if (readFlag(options, 'once') || !isShown) return printTop(context, (text) => output.answer(text))
  return runTop(context)
}
