/**
 * Complete envelopes from stdin, sent as they were written.
 */
import { UsageError } from '../../core/errors.ts'
import { decodeEnvelope } from '../../aee/envelope/envelope.ts'
import { AgentdError, AgentdUnknownAnswer, type Participant, type SentEnvelope } from '../../client/index.ts'
import { MAX_IN_FLIGHT, MAX_IN_FLIGHT_LENGTH } from '../../client/pipe/in-flight.ts'
import type { CommandContext } from '../run/command-context.ts'
import { formatCount } from '../../core/text/counts.ts'
import { EXIT, type ExitCode } from '../run/exit.ts'
import { asParticipant } from '../run/reach.ts'
import { readRecords, STDIN_NAME, type JsonRecord } from '../input/records.ts'
import { reportTrouble, type Trouble } from '../run/report.ts'
import { noteRemarks } from './tell-sent.ts'

/** One on its way. */
interface Sending {
  readonly fate: Promise<Fate>
  readonly octets: number
}

/** What became of one of them. */
type Fate =
  | { readonly kind: 'sent'; readonly sent: SentEnvelope; readonly priority: string }
  | { readonly kind: 'refused'; readonly trouble: Trouble & { readonly line: number | undefined } }

/** Sends each of them; one that is refused does not hold up the others. */
export function sendRaw(context: CommandContext): Promise<ExitCode> {
  return asParticipant(context, async (participant) => {
    const counts = { sent: 0, refused: 0 }
    const sending: Sending[] = []
    const tellFirst = async (): Promise<void> => {
      const fate = await sending.shift()?.fate
      if (fate === undefined) return
      counts[fate.kind] += 1
      tell(fate, context)
    }
    for await (const record of readRecords(STDIN_NAME)) {
      const fate = sendRecord(record, participant)
      // Looked at in its turn, which may be later.
      fate.catch(() => {})
      sending.push({ fate, octets: record.bytes.length })
      while (isFull(sending)) await tellFirst()
    }
    while (sending.length > 0) await tellFirst()
    return conclude(counts, context)
  })
}

/** As many are on their way as a pipe has in flight; one goes whatever its size. */
function isFull(sending: readonly Sending[]): boolean {
  if (sending.length >= MAX_IN_FLIGHT) return true
  const octets = sending.reduce((sum, one) => sum + one.octets, 0)
  return sending.length > 1 && octets > MAX_IN_FLIGHT_LENGTH
}

async function sendRecord({ bytes, line }: JsonRecord, participant: Participant): Promise<Fate> {
  try {
    const { envelope, text } = decodeEnvelope(bytes)
    return { kind: 'sent', sent: await participant.submitEnvelope(text), priority: envelope.priority }
  } catch (error) {
    const isRefusal = error instanceof AgentdError || error instanceof AgentdUnknownAnswer
    if (!isRefusal || error.code === undefined || error.code === 'closing') throw error
    const { code, field, message } = error
    return { kind: 'refused', trouble: { code, field, message, line } }
  }
}

function tell(fate: Fate, { output }: CommandContext): void {
  if (fate.kind === 'sent') {
    output.data(fate.sent)
    noteRemarks(fate.sent, fate.priority, output)
    return
  }
  const { line, message } = fate.trouble
  const where = line === undefined || output.json ? '' : `Line ${line}: `
  reportTrouble({ ...fate.trouble, message: `${where}${message}` }, output.json)
}

function conclude(
  counts: { readonly sent: number; readonly refused: number },
  context: CommandContext,
): ExitCode {
  const { output } = context
  if (counts.sent + counts.refused === 0) throw new UsageError('stdin holds no envelope.')
  output.say(`sent ${formatCount(counts.sent, 'envelope')}`)
  if (counts.refused > 0) output.note(`${formatCount(counts.refused, 'envelope')} refused.`)
  return counts.refused === 0 ? EXIT.done : EXIT.refused
}
