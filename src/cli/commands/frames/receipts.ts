/**
 * `agentd receipts`: what became of a frame, or of an envelope.
 */
import { Command } from 'commander'
import { formatAgo } from '../../../core/text/durations.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { formatKind } from '../../items/frame-line.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { formatAddressees } from '../../../protocol/verb/sent-line.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { choiceOption, readWait, readWaitTimeout } from '../../run/options.ts'
import { findNewestSent, type NewestSent } from './newest-sent.ts'
import { formatReceipts, judge, waitForReceipts } from './wait-for-receipts.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function receiptsCommand(): Command {
  return new Command('receipts')
    .helpGroup(GROUPS.read)
    .description('What became of a frame at each recipient')
    .argument('[frame-id]', 'the id of the frame, or of an envelope (default: the newest frame you sent)')
    .addOption(
      choiceOption('--wait <state>', 'wait until one recipient has seen it, or all of them', ['seen', 'all']),
    )
    .option('--timeout <duration>', 'how long to wait (default: 30s)')
    .addHelpText(
      'after',
      '\nExample: agentd receipts\n         agentd receipts 4f1c0a52-3a6e-4c0e-9d0b-0a8f6f1e2d3c --wait seen',
    )
    .action(runs(receipts))
}

async function receipts(context: CommandContext): Promise<ExitCode> {
  const { output, options, args } = context
  const wait = readWait(options)
  const timeoutMs = readWaitTimeout(options)
  const [id] = args
  const newest = id === undefined ? await findNewestSent(context) : undefined
  const { found, own, names } = await waitForReceipts(
    id ?? newest?.frameId ?? '',
    { wait, timeoutMs },
    context,
  )
  output.data(found)
  const which = newest === undefined ? '' : ` (${describe(newest)})`
  const what = 'frameId' in found ? `frame ${found.frameId}${which}` : `envelope ${found.id}`
  const isElsewhere = found.receipts.some(({ node }) => node !== undefined)
  const nobody = isElsewhere ? 'nobody here was listening' : 'nobody was listening'
  output.say(`${safeLine(what)} was sent${formatAddressees(found, nobody)}`)
  if (found.receipts.length > 0) output.answer(formatReceipts(found, names, context))
  if (wait === undefined) return EXIT.done
  return judge(
    found.receipts.filter(({ address, node }) => node !== undefined || address !== own),
    wait,
    found.away,
  )
}

/** Another terminal may have sent something meanwhile: what is told of says what it is. */
function describe({ kind, acceptedAt }: NewestSent): string {
  return `${formatKind(kind)}, ${formatAgo(Date.now() - Date.parse(acceptedAt))}`
}
