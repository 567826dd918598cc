/**
 * `agentd needs`: what needs the person, in a terminal.
 *
 * @see docs/http.md §7; W-3, W-6
 */
import { Command } from 'commander'
import type { PersonNeed } from '../../../client/index.ts'
import { UsageError } from '../../../core/errors.ts'
import { formatNeed } from '../../needs/need-view.ts'
import { shortIds } from '../../needs/find-need.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readFlag } from '../../run/options.ts'
import { asParticipant } from '../../run/reach.ts'
import { formatCount } from '../../../core/text/counts.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function needsCommand(): Command {
  return new Command('needs')
    .helpGroup(GROUPS.ask)
    .summary('What needs you; ends with 3 when something does')
    .description('What needs you; exit code 3 when something does, 0 when nothing does')
    .option('--count', 'only how many there are: for a prompt or a status line')
    .addHelpText('after', '\nExample: agentd needs --count')
    .action(runs(showNeeds))
}

async function showNeeds(context: CommandContext): Promise<ExitCode> {
  if (context.args.length > 0) throw new UsageError('"agentd needs" takes no argument.')
  if (readFlag(context.options, 'count')) return count(context)
  const { output } = context
  const found = await asParticipant(context, (_participant, client) => client.needs())
  const { needs, displaced } = found
  output.data(found)
  if (needs.length === 0) output.say('nothing needs you')
  else output.answer(formatNeeds(needs, context))
  if (displaced > 0)
    output.note(`${formatCount(displaced, 'need')} gave way to others; agentd history has them.`)
  return needs.length === 0 ? EXIT.done : EXIT.needed
}

async function count(context: CommandContext): Promise<ExitCode> {
  const { needs } = await asParticipant(context, (_participant, client) => client.summary())
  const total = needs.you + needs.anyone
  context.output.data(needs)
  context.output.answer(String(total))
  return total === 0 ? EXIT.done : EXIT.needed
}

function formatNeeds(needs: readonly PersonNeed[], { output }: CommandContext): string {
  const { paint, columns } = output
  const ids = shortIds(needs)
  const view = { paint, columns, nowMs: Date.now() }
  return needs
    .map((need, i) => {
      const isFirstForAnyone = need.addressed === 'anyone' && needs[i - 1]?.addressed !== 'anyone'
      const text = formatNeed(need, ids.get(need.needId) ?? need.needId, view)
      return isFirstForAnyone ? `${paint.dim('Anyone may answer:')}\n${text}` : text
    })
    .join('\n\n')
}
