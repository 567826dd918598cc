/**
 * `agentd envelope threads`: which workflows there are.
 *
 * @see W-5; docs/http.md §9
 */
import { Command } from 'commander'
import type { ThreadSummary } from '../../../client/index.ts'
import { formatCount } from '../../../core/text/counts.ts'
import { formatAge } from '../../../core/text/durations.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readCount, readFlag, readTextOption } from '../../run/options.ts'
import { asParticipant } from '../../run/reach.ts'
import { formatTable } from '../../terminal/table.ts'

/** Columns of the workflow's name at the most; `envelope thread` takes a whole one. */
const MAX_CORR_COLUMNS = 26
const MAX_INTENT_COLUMNS = 16

/** On a narrower terminal only what names a workflow is shown: a line that is broken in two is read by nobody. */
const LEAST_WITH_ALL = 80

/** The command. */
export function envelopeThreadsCommand(): Command {
  return new Command('threads')
    .description('Which workflows there are, that with the newest envelope first')
    .option('--open', 'only those with a task that has not come to its end')
    .option('--before <event-id>', 'go on behind the page that named this')
    .option('--limit <count>', 'at most this many (default: 50)')
    .addHelpText('after', '\nExample: agentd envelope threads --open --limit 10')
    .action(runs(threads))
}

async function threads(context: CommandContext): Promise<ExitCode> {
  const { output, options } = context
  const isOpenOnly = readFlag(options, 'open')
  const query = {
    before: readTextOption(options, 'before'),
    limit: readCount(options, 'limit'),
    open: isOpenOnly ? (true as const) : undefined,
  }
  const page = await asParticipant(context, (participant) => participant.threads(query))
  output.data(page)
  if (page.items.length > 0) output.answer(formatThreads(page.items, context))
  else output.say(isOpenOnly ? 'no thread has an open task' : 'there are no threads of envelopes')
  if (page.next !== null) output.note(`There is more: --before ${safeLine(page.next)}`)
  return EXIT.done
}

function formatThreads(items: readonly ThreadSummary[], { output }: CommandContext): string {
  const { paint, columns } = output
  const nowMs = Date.now()
  const isNarrow = columns !== undefined && columns < LEAST_WITH_ALL
  const rows = items.map(({ corr, lastAt, envelopes, openTasks, intent, participants }) => [
    ...(isNarrow ? [] : [formatAge(nowMs - Date.parse(lastAt))]),
    safeLine(corr),
    ...(isNarrow ? [] : [String(envelopes), openTasks === 0 ? '' : formatCount(openTasks, 'task')]),
    safeLine(intent),
    ...(isNarrow ? [] : [safeLine(participants.join(', '))]),
  ])
  const heads = [
    ...(isNarrow ? [] : [{ title: 'AGE' }]),
    { title: 'THREAD', most: MAX_CORR_COLUMNS, paint: paint.cyan },
    ...(isNarrow ? [] : [{ title: 'ENVELOPES' }, { title: 'OPEN', paint: paint.green }]),
    { title: 'INTENT', most: MAX_INTENT_COLUMNS },
    ...(isNarrow ? [] : [{ title: 'WHO' }]),
  ]
  return formatTable(heads, rows, { paint, columns })
}
