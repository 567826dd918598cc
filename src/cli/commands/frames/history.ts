/**
 * `agentd history`: what was said before.
 */
import { Command } from 'commander'
import { formatAge } from '../../../core/text/durations.ts'
import { UsageError } from '../../../core/errors.ts'
import type { Frame, HistoryEntry, HistoryOptions, Participant } from '../../../client/index.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { decisionLines } from '../../../protocol/frame/spoken-decision.ts'
import { kindOption, wholeKinds } from '../../input/whole-kinds.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { formatFrame, formatKind, formatSender, summariseWith } from '../../items/frame-line.ts'
import { LeaseResources } from '../../leases/lease-resources.ts'
import {
  mayPage,
  readCount,
  readFlag,
  readPastTime,
  readTextOption,
  type Options,
} from '../../run/options.ts'
import { asParticipant } from '../../run/reach.ts'
import { readSessionNames, type SessionNames } from '../../run/session-names.ts'
import { formatTable } from '../../terminal/table.ts'
import { forgetFrames } from './forget.ts'
import { GROUPS } from '../../help/groups.ts'

const MAX_WHO_COLUMNS = 24

/** The command. */
export function historyCommand(): Command {
  return new Command('history')
    .helpGroup(GROUPS.read)
    .description('Retained frames, oldest first')
    .option('--filter <expression>', 'only what matches, such as kind:handover')
    .option('--after <event-id>', 'go on after this event')
    .option('--limit <count>', 'the newest so many, or with --after the next so many (default: 100)')
    .option('--handle <handle>', 'frames from or to another handle of yours')
    .addOption(kindOption('--kind <kind>', 'frames of this kind'))
    .option('--sender <sender>', 'frames from this session, by name or address, or from this handle')
    .option('--since <time>', 'accepted then or later: how long ago, such as 2h, or an RFC 3339 time')
    .option('--before <time>', 'accepted before then')
    .option('--grep <words>', 'frames that say these words somewhere, whatever the case')
    .option('--full', 'the whole text of each frame')
    .option('--no-pager', 'print it all at once, however long it is')
    .option(
      '--forget',
      'forget for good instead of showing: counts, and asks; by --kind, --sender, --before and',
    )
    .option('--event <event-id>', 'with --forget: this item, a frame or an envelope')
    .option('--corr <corr>', 'with --forget: the envelopes of this workflow')
    .option('--frame <frame-id>', 'with --forget: this frame')
    .option('--everywhere', 'with --forget: on your other machines too')
    .option('--dry-run', 'with --forget: only count')
    .option('--yes', 'with --forget: do not ask')
    .addHelpText(
      'after',
      '\nWhat is longer than the screen goes to $AGENTD_PAGER, $PAGER or less.\n\nExample: agentd history --kind handover --since 2d\n         agentd history --forget --kind handover --before 30d',
    )
    .action(runs(history))
}

async function history(context: CommandContext): Promise<ExitCode> {
  const { output, options } = context
  const isForgetting = readFlag(options, 'forget')
  requireFitting(options, isForgetting ? ONLY_SHOWN : ONLY_FORGOTTEN, isForgetting)
  if (isForgetting) return forgetFrames(context)
  const query = readQuery(options)
  const { page, ...known } = await asParticipant(context, async (participant, client) => {
    const page = await participant.history({ ...query, sender: await readSender(options, participant) })
    return {
      page,
      names: output.json ? NO_NAMES : await readSessionNames(participant),
      resources: output.json ? [] : await resourcesOf(page.items, participant),
      principal: client.principal,
    }
  })
  output.data(page)
  const isNarrowed = NARROWING.some((name) => options[name] !== undefined)
  if (page.items.length === 0) output.say(isNarrowed ? 'nothing of that is retained' : 'nothing is retained')
  else output.answerLong(formatHistory(page.items, known, context), mayPage(options))
  if (page.unreadable > 0)
    output.note(`${page.unreadable} frames are not shown: this agentd cannot read them.`)
  if (page.next !== null) output.note(`There is more: --after ${safeLine(page.next)}`)
  return EXIT.done
}

/** Options that leave frames out. */
const NARROWING = ['filter', 'after', 'handle', 'kind', 'sender', 'since', 'before', 'grep']

/** Options that say nothing about what is forgotten: left aside, more would be than was meant. */
const ONLY_SHOWN = ['filter', 'after', 'limit', 'handle', 'since', 'grep', 'full']
const ONLY_FORGOTTEN = ['event', 'corr', 'frame', 'everywhere', 'dryRun', 'yes']

/** @throws UsageError for one of those that do not go with what is done */
function requireFitting(options: Options, names: readonly string[], isForgetting: boolean): void {
  const name = names.find((one) => options[one] !== undefined)
  if (name === undefined) return
  const flag = name === 'dryRun' ? '--dry-run' : `--${name}`
  throw new UsageError(`${flag} ${isForgetting ? 'does not go' : 'goes'} with --forget.`)
}

/** @throws UsageError for what is no time or no number */
function readQuery(options: Options): Omit<HistoryOptions, 'sender' | 'signal'> {
  const kind = readTextOption(options, 'kind')
  const written = readTextOption(options, 'filter')
  const filters = [written && wholeKinds(written), kind && `kind:${kind}`].filter(Boolean)
  const nowMs = Date.now()
  return {
    filter: filters.length === 0 ? undefined : filters.join(','),
    after: readTextOption(options, 'after'),
    limit: readCount(options, 'limit'),
    handle: readTextOption(options, 'handle'),
    since: readPastTime(options, 'since', nowMs),
    before: readPastTime(options, 'before', nowMs),
    text: readTextOption(options, 'grep'),
  }
}

/** A name is looked up; a handle and an address stay as they are. */
async function readSender(options: Options, participant: Participant): Promise<string | undefined> {
  const sender = readTextOption(options, 'sender')
  return sender === undefined || sender.startsWith('~') ? sender : participant.scopeOf(sender)
}

/** What leases are on that the frames name by their ids alone, frame by frame. */
async function resourcesOf(
  items: readonly HistoryEntry[],
  participant: Participant,
): Promise<readonly (string | undefined)[]> {
  const leases = new LeaseResources()
  for (const { frame } of items) leases.observe(frame)
  const found: (string | undefined)[] = []
  for (const { frame } of items) found.push(await leases.find(frame, participant))
  return found
}

/** What senders are called by, and what leases are on. */
interface Known {
  readonly names: SessionNames
  readonly resources: readonly (string | undefined)[]
  readonly principal: string
}

const NO_NAMES: SessionNames = new Map()

/** One line; of a decision on a terminal one for each of what there is, so that nothing of it is cut off for the rest. */
function linesOf(frame: Frame, columns: number | undefined, resource: string | undefined): readonly string[] {
  const isWhole = columns !== undefined && frame.kind === 'agent_binding_moment'
  return isWhole ? decisionLines(frame) : [summariseWith(frame, resource)]
}

function formatHistory(
  items: readonly HistoryEntry[],
  { names, principal, resources }: Known,
  context: CommandContext,
): string {
  const { columns, paint } = context.output
  const nameOf = ({ sender }: HistoryEntry): string | undefined => names.get(sender ?? '')
  const nowMs = Date.now()
  if (readFlag(context.options, 'full')) {
    const view = { paint, columns, principal, nowMs, full: true }
    const beside = (item: HistoryEntry, i: number) => ({ name: nameOf(item), resource: resources[i] })
    return items.map((item, i) => formatFrame(item.frame, view, beside(item, i))).join('\n')
  }
  const rows = items.flatMap((item, i) => {
    const [first = '', ...more] = linesOf(item.frame, columns, resources[i])
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
