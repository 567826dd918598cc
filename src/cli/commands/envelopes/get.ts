/**
 * `agentd envelope get`: a retained envelope, octet for octet.
 */
import { Command } from 'commander'
import { UsageError } from '../../../core/errors.ts'
import { readLocator } from '../../../aee/thread/references.ts'
import { EnvelopeHashMismatch } from '../../../client/index.ts'
import { safeBlock } from '../../../core/text/safe-text.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readTextOption } from '../../run/options.ts'
import { printJson } from '../../terminal/print.ts'
import { asParticipant } from '../../run/reach.ts'
import { reportTrouble } from '../../run/report.ts'

/** How every locator begins; the store of the daemon is one of many. */
const LOCATOR_START = 'store://'

const HASH = /^sha256:[\da-f]{64}$/i

/** The command. */
export function envelopeGetCommand(): Command {
  return new Command('get')
    .description('A retained envelope as it was submitted; on a terminal indented')
    .argument('<id>', 'its id, or a locator such as store://envelopes/<id>')
    .option('--hash <hash>', 'what it must hash to: sha256: and 64 hex digits')
    .addHelpText('after', '\nExample: agentd envelope get 01JFB2R1JZKQ9V3K8W8Y9W1F2A > envelope.json')
    .action(runs(get))
}

async function get(context: CommandContext): Promise<ExitCode> {
  const { output, options, args } = context
  const [name = ''] = args
  const reference = { id: readName(name), type: 'aee.envelope' }
  const hash = readTextOption(options, 'hash')
  if (hash !== undefined && !HASH.test(hash)) {
    throw new UsageError(`--hash is "${hash}"; it is sha256: and 64 hex digits.`)
  }
  try {
    const { envelope, text } = await asParticipant(context, (participant) =>
      participant.resolve(hash === undefined ? reference : { ...reference, hash }),
    )
    // A pipe may end on a screen as well; escaped, it is the same envelope, with the same hash and signature.
    if (output.isTerminal) output.answer(safeBlock(JSON.stringify(envelope, null, 2)))
    else printJson(text)
    return EXIT.done
  } catch (error) {
    if (!(error instanceof EnvelopeHashMismatch)) throw error
    reportTrouble({ code: 'hash-mismatch', field: 'hash', message: error.message }, output.json)
    return EXIT.refused
  }
}

/** The id, which is what is not a locator, or what a locator of this daemon names. */
function readName(name: string): string {
  const id = readLocator(name)
  if (id !== undefined || !name.startsWith(LOCATOR_START)) return id ?? name
  throw new UsageError(
    `"${name}" names another store; a locator that agentd can follow is store://envelopes/<id>.`,
  )
}
