/**
 * `agentd audit envelope`: whether an envelope is the one that was recorded.
 *
 * @see AEE-C13, AEE-C16
 */
import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { decodeEnvelope } from '../../../aee/envelope/envelope.ts'
import { hashOf } from '../../../aee/envelope/canonical.ts'
import { AgentdError, UsageError } from '../../../core/errors.ts'
import { formatCount } from '../../../core/text/counts.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { AgentdUnreachable } from '../../../client/index.ts'
import { findEnvelopeRecords, isProven, type EnvelopeRecord } from '../../evidence/audit-envelope.ts'
import { ownLedgers } from '../../evidence/own-ledgers.ts'
import { readRecords, STDIN_NAME } from '../../input/records.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readList } from '../../run/options.ts'
import { asParticipant } from '../../run/reach.ts'
import type { Output } from '../../terminal/output.ts'
import { formatTable } from '../../terminal/table.ts'

/** The command. */
export function auditEnvelopeCommand(): Command {
  return new Command('envelope')
    .description('Whether an envelope is what was recorded, and each chain whole up to it')
    .argument('<id>', 'its id, a file that holds it, or - for stdin')
    .option('--ledger <files>', 'ledgers to look in, joined by commas (default: your own)')
    .addHelpText(
      'after',
      `
Of an id, the envelope is fetched from the daemon where one runs and retains it; else only what was recorded is shown.
Ends with 0 when it is the one, 1 when it is another, not recorded, or a chain is broken.

Example: agentd audit envelope 01JFB2R1JZKQ9V3K8W8Y9W1F2A`,
    )
    .action(runs(auditEnvelope))
}

async function auditEnvelope(context: CommandContext): Promise<ExitCode> {
  const { args, output, environment, options } = context
  const [name = ''] = args
  const { id, hash } = await findEnvelope(name, context)
  const files = readList(options, 'ledger') ?? ownLedgers(environment)
  const records = findEnvelopeRecords(files, id, hash)
  const isSame = isProven(records)
  output.data({ id, hash: hash ?? null, proven: isSame, records })
  output.answer(formatRecords(records, { id, hash }, output))
  return isSame ? EXIT.done : EXIT.refused
}

interface Sought {
  readonly id: string
  readonly hash: string | undefined
}

async function findEnvelope(name: string, context: CommandContext): Promise<Sought> {
  const isFile = name === STDIN_NAME || existsSync(name)
  const bytes = isFile ? await readOne(name) : await fetchBytes(name, context)
  if (bytes === undefined) return { id: name, hash: undefined }
  const { envelope } = decodeEnvelope(bytes)
  return { id: envelope.id, hash: hashOf(envelope) }
}

async function readOne(name: string): Promise<Buffer> {
  for await (const { bytes } of readRecords(name)) return bytes
  throw new UsageError(`${name} holds no envelope.`)
}

/** Nobody to ask, and nothing retained, are no reason not to look at what was recorded. */
async function fetchBytes(id: string, context: CommandContext): Promise<Buffer | undefined> {
  try {
    const found = await asParticipant({ ...context, mayStart: false }, (participant) =>
      participant.resolve({ id, type: 'aee.envelope' }),
    )
    return Buffer.from(found.text)
  } catch (error) {
    if (error instanceof AgentdUnreachable && !error.isSilent) return undefined
    if (error instanceof AgentdError && error.code === 'not-found') return undefined
    throw error
  }
}

const JUDGEMENTS = {
  same: 'is what was recorded',
  other: 'is not what was recorded',
  unhashed: 'was recorded without a hash',
  known: 'was recorded; there is no envelope to hold against it',
} as const

function formatRecords(records: readonly EnvelopeRecord[], { id }: Sought, output: Output): string {
  if (records.length === 0) return `${output.paint.red('unknown')}  no ledger knows ${safeLine(id)}`
  const { paint, columns } = output
  return records
    .map(({ file, format, recorded, entries, chain }) => {
      const colour = recorded === 'same' && chain.isWhole ? paint.green : paint.red
      const whole = `${chain.verdict} up to line ${entries.at(-1)?.line ?? 0}`
      const head = `${colour(recorded)}  ${format} ${safeLine(file)}: it ${JUDGEMENTS[recorded]}; the chain: ${whole}`
      const rows = entries.map(({ line, what, at, via }) => [`line ${line}`, what, safeLine(at), via ?? ''])
      const heads = [{ title: 'WHERE' }, { title: 'WHAT' }, { title: 'WHEN' }, { title: 'VIA' }]
      const more =
        chain.faultCount === 0 ? [] : [`${formatCount(chain.faultCount, 'fault')}: see agentd audit verify`]
      return [head, formatTable(heads, rows, { paint, columns }), ...more].join('\n')
    })
    .join('\n\n')
}
