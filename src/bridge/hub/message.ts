/**
 * A message of the engine, however it was come by.
 */
import type { JsMsg, StoredMsg } from '@nats-io/jetstream'
import { HEADER_SIGNATURE } from '../../link/batch.ts'

export interface HubMessage {
  readonly subject: string
  readonly seq: number
  /** The engine's own time, in milliseconds since 1970 by its clock. */
  readonly engineAtMs: number
  readonly signature: string
  /** How many of the same reading come behind it; 0 for one that was asked for by itself. */
  readonly pending: number
  readonly text: string
}

/** In a millisecond. */
const NANOSECONDS = 1_000_000

export function ofConsumer(message: JsMsg): HubMessage {
  const { subject, seq, info } = message
  return {
    subject,
    seq,
    engineAtMs: Math.floor(info.timestampNanos / NANOSECONDS),
    signature: message.headers?.get(HEADER_SIGNATURE) ?? '',
    pending: info.pending,
    text: message.string(),
  }
}

export function ofDirect(message: StoredMsg): HubMessage {
  const { subject, seq, time } = message
  return {
    subject,
    seq,
    engineAtMs: time.getTime(),
    signature: message.header.get(HEADER_SIGNATURE),
    pending: 0,
    text: message.string(),
  }
}
