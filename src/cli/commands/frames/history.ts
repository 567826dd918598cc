/**
 * `agentd history`: what was said before.
 */
import { Command } from 'commander'
import { formatAge } from '../../../core/text/durations.ts'
import { UsageError } from '../../../core/errors.ts'
import type { Frame, HistoryEntry } from '../../../client/index.ts'
import { KIND_NAMES, isKind } from '../../../protocol/frame/kinds.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { decisionLines } from '../../../protocol/frame/spoken-decision.ts'
import { summarise } from '../../../protocol/frame/summary.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { formatCount } from '../../../core/text/counts.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { formatFrame, formatKind, formatSender } from '../../items/frame-line.ts'
import { choiceOption, readCount, readFlag, readTextOption } from '../../run/options.ts'
import { asParticipant } from '../../run/reach.ts'
import { readSessionNames, type SessionNames } from '../../run/session-names.ts'
import { formatTable } from '../../terminal/table.ts'

const MAX_WHO_COLUMNS = 24

/** The command. */
export function historyCommand(): Command {
  return new Command('history')
    .description('Retained frames, oldest first')
    .option('--filter <expression>', 'only what matches, such as kind:agent_handover')
    .option('--after <event-id>', 'go on after this event')
    .option('--limit <count>', 'at most this many (default: 100)')
    .option('--handle <handle>', 'frames from or to another handle of yours')
    .option('--full', 'the whole text of each frame')
    .option('--forget', 'forget frames for good instead of showing them, by the options below')
    .option('--event <event-id>', 'with --forget: this item, a frame or an envelope')
    .option('--corr <corr>', 'with --forget: the envelopes of this workflow')
    .option('--frame <frame-id>', 'with --forget: this frame')
    .option('--sender <handle>', 'with --forget: frames from this handle')
    .addOption(choiceOption('--kind <kind>', 'with --forget: frames of this kind', KIND_NAMES))
    .option('--before <time>', 'with --forget: frames accepted before this RFC 3339 time')
    .addHelpText(
      'after',
      '\nExample: agentd history --filter kind:agent_handover --limit 5\n         agentd history --forget --kind agent_handover',
    )
    .action(runs(history))
}

async function history(context: CommandContext): Promise<ExitCode> {
  const { output, options } = context
  if (readFlag(options, 'forget')) return forget(context)
  const query = {
    filter: readTextOption(options, 'filter'),
    after: readTextOption(options, 'after'),
    limit: readCount(options, 'limit'),
    handle: readTextOption(options, 'handle'),
  }
  const { page, ...known } = await asParticipant(context, async (participant, client) => ({
    page: await participant.history(query),
    names: output.json ? NO_NAMES : await readSessionNames(participant),
    principal: client.principal,
  }))
  output.data(page)
  if (page.items.length === 0) output.say('nothing is retained')
  else output.answer(formatHistory(page.items, known, context))
  if (page.unreadable > 0)
    output.note(`${page.unreadable} frames are not shown: this agentd cannot read them.`)
  if (page.next !== null) output.note(`There is more: --after ${safeLine(page.next)}`)
  return EXIT.done
}

/** Only the principal may: a session's token is left aside (AC-192). */
async function forget(context: CommandContext): Promise<ExitCode> {
  const { output, options } = context
  const kind = readTextOption(options, 'kind')
  const which = {
    eventId: readTextOption(options, 'event'),
    corr: readTextOption(options, 'corr'),
    frameId: readTextOption(options, 'frame'),
    sender: readTextOption(options, 'sender'),
    kind: kind !== undefined && isKind(kind) ? kind : undefined,
    before: readTextOption(options, 'before'),
  }
  if (Object.values(which).every((value) => value === undefined)) {
    throw new UsageError(
      '--forget takes at least one of --event, --corr, --frame, --sender, --kind and --before.',
    )
  }
  const forgotten = await asParticipant(context, (_participant, client) => client.forget(which))
  output.data({ forgotten })
  output.say(forgotten === 0 ? 'nothing to forget' : `forgot ${formatCount(forgotten, 'frame')}`)
  return EXIT.done
}

/** What senders are called by. */
interface Known {
  readonly names: SessionNames
  readonly principal: string
}

const NO_NAMES: SessionNames = new Map()

/** One line; of a decision on a terminal one for each of what there is, so that nothing of it is cut off for the rest. */
function linesOf(frame: Frame, columns: number | undefined): readonly string[] {
  const isWhole = columns !== undefined && frame.kind === 'agent_binding_moment'
  return isWhole ? decisionLines(frame) : [summarise(frame)]
}

function formatHistory(
  items: readonly HistoryEntry[],
  { names, principal }: Known,
  context: CommandContext,
): string {
  const { columns, paint } = context.output
  const nameOf = ({ sender }: HistoryEntry): string | undefined => names.get(sender ?? '')
  const nowMs = Date.now()
  if (readFlag(context.options, 'full')) {
    const view = { paint, columns, principal, nowMs, full: true }
    return items.map((item) => formatFrame(item.frame, view, nameOf(item))).join('\n')
  }
  const rows = items.flatMap((item) => {
    const [first = '', ...more] = linesOf(item.frame, columns)
    const head = [
      formatAge(nowMs - Date.parse(item.acceptedAt)),
      formatSender(item.frame, principal, nameOf(item)),
      formatKind(item.frame.kind),
      safeLine(first),
    ]
    return [head, ...more.map((line) => ['', '', '', safeLine(line)])]
  })
  const heads = [
    { title: 'AGE' },
    { title: 'FROM', most: MAX_WHO_COLUMNS },
    { title: 'KIND', paint: paint.cyan },
    { title: 'TEXT' },
  ]
  return formatTable(heads, rows, { paint, columns })
}
