/**
 * Complete envelopes from stdin, sent as they were written.
 */
import { AgentdError, UsageError } from '../../core/errors.ts'
import { decodeEnvelope, type DecodedEnvelope, type Envelope } from '../../aee/envelope/envelope.ts'
import { AgentdUnknownAnswer, type Participant, type SentEnvelope } from '../../client/index.ts'
import { MAX_IN_FLIGHT, MAX_IN_FLIGHT_LENGTH } from '../../client/pipe/in-flight.ts'
import type { CommandContext } from '../run/command-context.ts'
import { formatCount } from '../../core/text/counts.ts'
import { EXIT, type ExitCode } from '../run/exit.ts'
import { asParticipant } from '../run/reach.ts'
import { readRecords, STDIN_NAME, type JsonRecord } from '../input/records.ts'
import { reportTrouble, type Trouble } from '../run/report.ts'
import { InboundGate } from './inbound.ts'
import type { Restamp } from './restamp.ts'
import { Speakers } from './speakers.ts'
import { noteRemarks, tellSent } from './tell-sent.ts'

/** One on its way. */
interface Sending {
  readonly fate: Promise<Fate>
  readonly octets: number
}

/** It was not taken, here or by the daemon. */
interface Refused {
  readonly kind: 'refused'
  readonly trouble: Trouble & { readonly line: number | undefined }
}

/** What became of one of them. */
type Fate = { readonly kind: 'sent'; readonly sent: SentEnvelope; readonly envelope: Envelope } | Refused

/** What a record was read as. */
type Read =
  | { readonly kind: 'envelope'; readonly decoded: DecodedEnvelope; readonly note: string | undefined }
  | Refused

/**
 * Sends each of them; one that is refused does not hold up the others.
 *
 * @param restamp - makes each of them anew; undefined to send them as they were written
 */
export function sendRaw(context: CommandContext, restamp?: Restamp): Promise<ExitCode> {
  return asParticipant(context, async (participant, client) => {
    const speakers = new Speakers(context, participant, client)
    try {
      return await sendAll(context, speakers, restamp)
    } finally {
      await speakers.close()
    }
  })
}

async function sendAll(
  context: CommandContext,
  speakers: Speakers,
  restamp: Restamp | undefined,
): Promise<ExitCode> {
  const gate = new InboundGate(context.environment)
  const counts = { sent: 0, refused: 0 }
  const sending: Sending[] = []
  const tellFirst = async (): Promise<void> => {
    const fate = await sending.shift()?.fate
    if (fate === undefined) return
    counts[fate.kind] += 1
    tell(fate, context, restamp !== undefined)
  }
  let last = speakers.usual
  for await (const record of readRecords(STDIN_NAME)) {
    const read = readRecord(record, gate, restamp)
    if (read.kind === 'envelope' && read.note !== undefined) context.output.note(read.note)
    if (read.kind === 'envelope') {
      const speaker = await speakers.of(read.decoded.envelope.from)
      // Each has a pipe of its own: what one says has to be there before another answers it.
      if (speaker !== last) while (sending.length > 0) await tellFirst()
      last = speaker
    }
    const fate = read.kind === 'refused' ? Promise.resolve(read) : sendOne(read.decoded, record, last)
    // Looked at in its turn, which may be later.
    fate.catch(() => {})
    sending.push({ fate, octets: record.bytes.length })
    while (isFull(sending)) await tellFirst()
  }
  while (sending.length > 0) await tellFirst()
  return conclude(counts, context)
}

/** As many are on their way as a pipe has in flight; one goes whatever its size. */
function isFull(sending: readonly Sending[]): boolean {
  if (sending.length >= MAX_IN_FLIGHT) return true
  const octets = sending.reduce((sum, one) => sum + one.octets, 0)
  return sending.length > 1 && octets > MAX_IN_FLIGHT_LENGTH
}

/** What stands there and may enter; a fault of it is its fate. */
function readRecord({ bytes, line }: JsonRecord, gate: InboundGate, restamp: Restamp | undefined): Read {
  try {
    const entry = gate.admit(decodeEnvelope(bytes))
    if (entry.kind === 'kept-out')
      return { kind: 'refused', trouble: { code: entry.kind, field: 'intent', message: entry.why, line } }
    const { decoded, note } = entry
    return { kind: 'envelope', decoded: restamp?.renew(decoded, Date.now()) ?? decoded, note }
  } catch (error) {
    return toRefused(error, line)
  }
}

async function sendOne(
  { envelope, text }: DecodedEnvelope,
  { line }: JsonRecord,
  speaker: Participant,
): Promise<Fate> {
  try {
    return { kind: 'sent', sent: await speaker.submitEnvelope(text), envelope }
  } catch (error) {
    return toRefused(error, line)
  }
}

/** @throws whatever is no refusal of this one envelope */
function toRefused(error: unknown, line: number | undefined): Refused {
  const isRefusal = error instanceof AgentdError || error instanceof AgentdUnknownAnswer
  if (!isRefusal || error.code === undefined || error.code === 'closing') throw error
  const { code, field, message } = error
  return { kind: 'refused', trouble: { code, field, message, line } }
}

/** @param isRenewed - they have names that whoever sent them has not seen */
function tell(fate: Fate, context: CommandContext, isRenewed: boolean): void {
  const { output } = context
  if (fate.kind === 'sent') {
    const { sent, envelope } = fate
    const renewed = { ...sent, envelope }
    output.data(isRenewed ? renewed : sent)
    if (isRenewed) tellSent(renewed, context)
    else noteRemarks(sent, envelope.priority, output)
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
