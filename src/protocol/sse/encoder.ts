/**
 * Server-Sent Events as agentd writes and reads them: pure functions over text.
 *
 * `data` is one line of JSON, in which every line break is escaped, so no frame can end a block or forge a
 * field; ids and event names come from fixed alphabets (SSE-12).
 *
 * @see WHATWG HTML "Server-sent events", SSE-01…SSE-16; docs/http.md §6
 */
import { RETRY_MS } from '../../core/limits.ts'

/** Why a stream may be missing something. */
export type GapReason = 'trimmed' | 'epoch' | 'unknown-id' | 'overflow' | 'rollback' | 'corrupt' | 'remote'

/** Why the daemon ends a stream. */
export type ByeReason = 'shutdown' | 'slow-consumer' | 'replaced' | 'expired'

/** What lies between a reader's cursor and the first frame it can still get. */
export interface Gap {
  /** Why something may be missing. */
  readonly reason: GapReason
  /** The cursor as the reader gave it, or the last id it was sent. */
  readonly requested: string
  /** The oldest event that is still there; null when the ring is empty. */
  readonly oldest: string | null
  /** How many sequence numbers are gone; null when nobody can know. */
  readonly missed: number | null
  /** Of what another node sent (`remote`): that node. */
  readonly node?: string | undefined
  /** The last event of that node that is here; null for none. */
  readonly from?: string | null | undefined
  /** The last of its events that is missing. */
  readonly to?: string | undefined
}

/** What the daemon found out about an envelope on its way. */
export interface EnvelopeRemarks {
  /** What it is treated as, where that is not the `priority` it claims; undefined otherwise. */
  readonly effectivePriority: string | undefined
  /** Whether its task had come to its end before. */
  readonly isLate: boolean
}

export const EVENT_FRAME = 'agent_frame'
export const EVENT_ENVELOPE = 'aee_envelope'
export const EVENT_GAP = 'agentd_gap'
export const EVENT_BYE = 'agentd_bye'

/** What only a watch says (docs/http.md §6). */
export const EVENT_SNAPSHOT = 'agentd_snapshot'
export const EVENT_PASSED = 'agentd_passed'
export const EVENT_SESSION = 'agentd_session'
export const EVENT_NEED = 'agentd_need'
export const EVENT_RECEIPT = 'agentd_receipt'
export const EVENT_FORGOTTEN = 'agentd_forgotten'

/** The first octets of every stream: the reconnect delay, and where the stream begins (SSE-13, SSE-14). */
export function encodePreamble(eventId: string): string {
  return `retry: ${RETRY_MS}\n: agentd ${eventId}\n\n`
}

/** @param json - the frame on one line */
export function encodeFrameEvent(eventId: string, json: string): string {
  return `id: ${eventId}\nevent: ${EVENT_FRAME}\ndata: ${json}\n\n`
}

/**
 * @param json - the envelope on one line, as it was submitted
 * @param remarks - what the daemon says beside an envelope it must not rewrite; a comment, which every reader
 *   of Server-Sent Events passes over (AEQ-26, AEQ-27)
 */
export function encodeEnvelopeEvent(eventId: string, json: string, remarks: EnvelopeRemarks): string {
  const { effectivePriority, isLate } = remarks
  const words = [
    ...(effectivePriority === undefined ? [] : [`effective_priority=${effectivePriority}`]),
    ...(isLate ? ['late=true'] : []),
  ]
  const comment = words.length === 0 ? '' : `: ${words.join(' ')}\n`
  return `id: ${eventId}\nevent: ${EVENT_ENVELOPE}\n${comment}data: ${json}\n\n`
}

/** What was accepted and where it went, as a watch is told it. @param json - on one line */
export function encodePassedEvent(eventId: string, json: string): string {
  return `id: ${eventId}\n${encodeAside(EVENT_PASSED, json)}`
}

/** An event that is not of the sequence: it moves no cursor. @param json - on one line */
export function encodeAside(event: string, json: string): string {
  return `event: ${event}\ndata: ${json}\n\n`
}

export function encodeGap(gap: Gap): string {
  return encodeAside(EVENT_GAP, JSON.stringify(gap))
}

export function encodeBye(reason: ByeReason, retryMs?: number): string {
  const retry = retryMs === undefined ? '' : `retry: ${retryMs}\n`
  return retry + encodeAside(EVENT_BYE, JSON.stringify({ reason }))
}

/**
 * A comment against idle timeouts and, when the reader has everything up to `eventId`, a block of only an id:
 * it moves the reader's cursor without dispatching anything, so a sparse filter never resumes from long ago.
 */
export function encodeKeepAlive(eventId: string | undefined): string {
  return eventId === undefined ? ': keep-alive\n\n' : `: keep-alive\nid: ${eventId}\n\n`
}

/** A block of only an id. */
export function encodeCursor(eventId: string): string {
  return `id: ${eventId}\n\n`
}
