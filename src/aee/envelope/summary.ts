/**
 * An envelope in one line of plain text: what it wants, and the names an answer to it needs.
 */
import { clip } from '../../core/text/clip.ts'
import type { Envelope } from './envelope.ts'

/** Characters of a payload that a line has room for; the rest is one fetch away. */
const MAX_PAYLOAD_LENGTH = 1_024

/** `task ops.backup.status.check`, and its priority where that is not the usual one. */
export function spokenIntent({ type, intent, priority }: Envelope): string {
  return priority === 'normal' ? `${type} ${intent}` : `${type} ${intent} (${priority})`
}

/** The payload and, at the end, the names that an answer has to carry. */
export function summariseEnvelope(envelope: Envelope): string {
  const { id, corr, reply_to: replyTo } = envelope
  const answers = typeof replyTo === 'string' && replyTo !== '' ? `, answers ${replyTo}` : ''
  return `${summarisePayload(envelope)} [id ${id}, corr ${corr}${answers}]`
}

/** The payload alone. */
export function summarisePayload(envelope: Envelope): string {
  return clip(spokenPayload(envelope), MAX_PAYLOAD_LENGTH)
}

/** What sets an envelope apart from most: `[high]`, `[urgent as normal]`, `[late]`. */
export function formatMarks({
  envelope,
  effectivePriority,
  late,
}: {
  readonly envelope: Pick<Envelope, 'priority'>
  readonly effectivePriority: string
  readonly late: boolean
}): readonly string[] {
  const { priority } = envelope
  const capped = effectivePriority === priority ? priority : `${priority} as ${effectivePriority}`
  return [...(capped === 'normal' ? [] : [`[${capped}]`]), ...(late ? ['[late]'] : [])]
}

/** An error says what went wrong; anything else is its JSON. */
function spokenPayload({ type, payload }: Envelope): string {
  const { code, message } = payload
  if (type === 'error' && typeof message === 'string')
    return typeof code === 'string' ? `${code}: ${message}` : message
  return JSON.stringify(payload)
}
