/**
 * `agentd audit bundle`: the evidence of one workflow, for somebody else to verify.
 *
 * @see docs/requirements.md §2.3
 */
import { Command } from 'commander'
import { UsageError } from '../../../core/errors.ts'
import { formatCount } from '../../../core/text/counts.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { writeBundle } from '../../evidence/bundle.ts'
import { ownLedgers } from '../../evidence/own-ledgers.ts'
import { KeyFolder } from '../../keys/key-folder.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readFlag, readList, readTextOption } from '../../run/options.ts'
import { asParticipant } from '../../run/reach.ts'
import { withProgress } from '../../terminal/progress.ts'

/** The command. */
export function auditBundleCommand(): Command {
  return new Command('bundle')
    .description('Write the evidence of a workflow as a VOLT bundle: a folder that anybody can verify')
    .argument('<corr>', 'the corr of its envelopes')
    .requiredOption('--out <folder>', 'a folder that is not there yet')
    .option('--envelopes', 'with the envelopes themselves, content and all; else only their hashes')
    .option('--sign <kid>', 'sign it with this key')
    .option('--ledger <files>', 'ledgers to take it from, joined by commas (default: your own)')
    .addHelpText(
      'after',
      `
The chain begins with its first event, so the bundle names other workflows too: ids, sizes and times, nothing of what
they say. "agentd audit verify FOLDER" verifies it.

Example: agentd audit bundle 01JFB2QX0K8X5K6ZJ9G2C0C1MW --out evidence --sign alice-2026`,
    )
    .action(runs(bundle))
}

async function bundle(context: CommandContext): Promise<ExitCode> {
  const { args, options, environment, output } = context
  const [corr = ''] = args
  const directory = readTextOption(options, 'out')
  if (directory === undefined) throw new UsageError('--out names a folder that is not there yet.')
  const kid = readTextOption(options, 'sign')
  const key = kid === undefined ? undefined : new KeyFolder(environment).require(kid)
  const files = readList(options, 'ledger') ?? ownLedgers(environment)
  const envelopes = readFlag(options, 'envelopes') ? await readEnvelopes(corr, context) : []
  const at = new Date().toISOString()
  const written = await withProgress(output, `bundling ${safeLine(corr)}`, (progress) =>
    writeBundle({ corr, files, directory, at, envelopes, key, breathe: () => progress.breathe() }),
  )
  output.data(written)
  const { events, receipts, attachments, isSigned } = written
  const what = [
    formatCount(events, 'event'),
    formatCount(receipts, 'receipt'),
    formatCount(attachments, 'envelope'),
  ]
  output.say(`${safeLine(directory)}: ${what.join(', ')}${isSigned ? ', signed' : ''}`)
  return EXIT.done
}

/** As they were stored. @throws UsageError when none is retained */
async function readEnvelopes(
  corr: string,
  context: CommandContext,
): Promise<readonly { readonly id: string; readonly text: string }[]> {
  const found = await asParticipant(context, async (participant) => {
    const { items } = await participant.thread(corr)
    const texts: { readonly id: string; readonly text: string }[] = []
    for (const { envelope } of items) {
      const { text } = await participant.resolve({ id: envelope.id, type: 'aee.envelope' })
      texts.push({ id: envelope.id, text })
    }
    return texts
  })
  if (found.length > 0) return found
  throw new UsageError(`No envelope of "${corr}" is retained; without --envelopes their hashes are enough.`)
}
