/**
 * A watch as an async iterable: everything that passes, for who is no recipient of it (docs/http.md §6, W-1).
 */
import { MAX_FRAME_OCTETS } from '../../core/limits.ts'
import type { Clock } from '../../core/clock.ts'
import { AgentdError } from '../../core/errors.ts'
import { PassedItem } from '../../protocol/http/frame-replies.ts'
import {
  Forgotten,
  NeedChange,
  ReceiptChange,
  SessionChange,
  WatchSnapshot,
} from '../../protocol/http/watch-events.ts'
import {
  EVENT_FORGOTTEN,
  EVENT_NEED,
  EVENT_PASSED,
  EVENT_RECEIPT,
  EVENT_SESSION,
  EVENT_SNAPSHOT,
} from '../../protocol/sse/encoder.ts'
import type { SseBlock } from '../../protocol/sse/decoder.ts'
import type { Connection } from '../http/connection.ts'
import { readReplyBody } from '../http/refusal.ts'
import { camelCased } from '../reply/camel-cased.ts'
import { readEnvelope, readFrame } from './events.ts'
import { ResumingStream, type BlockReader } from './resuming.ts'
import type { PassedEnvelope, PassedFrame, WatchEvent, WatchOptions } from './watch-items.ts'

/** An open watch. It connects as soon as it is made, and has one consumer. */
export class AgentdWatch extends ResumingStream<WatchEvent> {
  /** Made by `watch()` of a client or a session. @param onEnd - called once, when it is over */
  constructor(connection: Connection, options: WatchOptions, onEnd: () => void) {
    const reader = new WatchReader(connection.parts.clock, options)
    super(connection, { call: { route: 'openWatch' }, reader, onEnd }, options)
  }
}

/** Reads the events of one watch; what a newer daemon says in another way is left out. */
class WatchReader implements BlockReader<WatchEvent> {
  readonly #clock: Clock
  readonly #options: WatchOptions

  constructor(clock: Clock, options: WatchOptions) {
    this.#clock = clock
    this.#options = options
  }

  read({ event, lastEventId }: SseBlock, data: string): WatchEvent | undefined {
    if (event === EVENT_PASSED) return this.#readPassed(lastEventId, data)
    const body = readReplyBody(data)
    switch (event) {
      case EVENT_SNAPSHOT: {
        const { data: read } = WatchSnapshot.safeParse(body)
        return read && { type: 'snapshot', ...camelCased(read) }
      }
      case EVENT_SESSION: {
        const { data: read } = SessionChange.safeParse(body)
        return read && { type: 'session', ...camelCased(read) }
      }
      case EVENT_NEED: {
        const { data: read } = NeedChange.safeParse(body)
        return read && { type: 'need', ...camelCased(read) }
      }
      case EVENT_RECEIPT: {
        const { data: read } = ReceiptChange.safeParse(body)
        return read && { type: 'receipt', ...camelCased(read) }
      }
      case EVENT_FORGOTTEN: {
        const { data: read } = Forgotten.safeParse(body)
        return read && { type: 'forgotten', ...camelCased(read) }
      }
      default:
        return undefined
    }
  }

  /** How many of the largest frames an item is as large as. */
  weightOf(item: WatchEvent): number {
    return item.type === 'envelope' ? Math.ceil(JSON.stringify(item.envelope).length / MAX_FRAME_OCTETS) : 1
  }

  #readPassed(eventId: string, data: string): PassedFrame | PassedEnvelope | undefined {
    const parsed = PassedItem.safeParse(readReplyBody(data))
    if (!parsed.success) return undefined
    const { frame, envelope, effective_priority: priority, late = false, ...origin } = parsed.data
    const common = { eventId, receivedMs: this.#clock.nowMs(), ...camelCased(origin) }
    if (envelope === undefined) {
      const read = readFrame(JSON.stringify(frame))
      if (read instanceof AgentdError) return this.#leaveOut(eventId, data, read)
      return { type: 'frame', frame: read, ...common }
    }
    const read = readEnvelope(JSON.stringify(envelope))
    if (read instanceof AgentdError) return this.#leaveOut(eventId, data, read)
    const effectivePriority = priority ?? read.envelope.priority
    return { type: 'envelope', envelope: read.envelope, effectivePriority, late, ...common }
  }

  #leaveOut(eventId: string, data: string, error: AgentdError): undefined {
    this.#options.onInvalid?.({ eventId, data, error })
  }
}
