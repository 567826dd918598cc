/**
 * What a stream makes of the data of its events: items without those that came before, or are no such thing.
 *
 * @see AC-183, AC-184, ACQ-19, ACQ-37; AEE-038
 */
import type { Clock } from '../../core/clock.ts'
import { AgentdError } from '../../core/errors.ts'
import { expiresAtMs } from '../../protocol/frame/frame.ts'
import { MAX_FRAME_OCTETS } from '../../core/limits.ts'
import { RecentIds } from './recent-ids.ts'
import { EVENT_ENVELOPE, EVENT_FRAME } from '../../protocol/sse/encoder.ts'
import type { SseBlock } from '../../protocol/sse/decoder.ts'
import { readEnvelope, readFrame, readRemarks } from './events.ts'
import type { EnvelopeItem, FrameItem, StreamOptions } from './options.ts'
import type { BlockReader } from './resuming.ts'

/** Ids remembered per stream: as many as the daemon's own window for resubmissions (ACQ-25). */
const RECENT_IDS = 4_096

/** Reads the items of one stream, over all of its connections. */
export class ItemReader implements BlockReader<FrameItem | EnvelopeItem> {
  readonly #clock: Clock
  readonly #options: StreamOptions
  readonly #frames = new RecentIds(RECENT_IDS)
  /** Apart from the frames: nobody keeps the two kinds of id from being equal. */
  readonly #envelopes = new RecentIds(RECENT_IDS)

  constructor(clock: Clock, options: StreamOptions) {
    this.#clock = clock
    this.#options = options
  }

  read(
    { event, lastEventId }: SseBlock,
    data: string,
    comments: readonly string[],
  ): FrameItem | EnvelopeItem | undefined {
    if (event === EVENT_FRAME) return this.#readFrame(lastEventId, data)
    if (event === EVENT_ENVELOPE) return this.#readEnvelope(lastEventId, data, comments)
    return undefined
  }

  /** How many of the largest frames an item is as large as. */
  weightOf(item: FrameItem | EnvelopeItem): number {
    return item.type === 'envelope' ? Math.ceil(item.text.length / MAX_FRAME_OCTETS) : 1
  }

  #readFrame(eventId: string, data: string): FrameItem | undefined {
    const { dedupe = true, dropExpired = true, onExpired } = this.#options
    const frame = readFrame(data)
    if (frame instanceof AgentdError) return this.#leaveOut(eventId, data, frame)
    // UUIDs compare without regard to case (ACQ-19).
    if (dedupe && !this.#frames.add(frame.frame_id.toLowerCase())) return undefined
    const receivedMs = this.#clock.nowMs()
    const item = { type: 'frame', eventId, frame, receivedMs } as const
    if (!dropExpired || expiresAtMs(frame) > receivedMs) return item
    onExpired?.(item)
    return undefined
  }

  /** @param comments - those of the block the data came in */
  #readEnvelope(eventId: string, data: string, comments: readonly string[]): EnvelopeItem | undefined {
    const { dedupe = true } = this.#options
    const decoded = readEnvelope(data)
    if (decoded instanceof AgentdError) return this.#leaveOut(eventId, data, decoded)
    const { envelope } = decoded
    if (dedupe && !this.#envelopes.add(envelope.id)) return undefined
    const { effectivePriority = envelope.priority, late } = readRemarks(comments)
    const receivedMs = this.#clock.nowMs()
    return { type: 'envelope', eventId, ...decoded, effectivePriority, late, receivedMs }
  }

  #leaveOut(eventId: string, data: string, error: AgentdError): undefined {
    this.#options.onInvalid?.({ eventId, data, error })
  }
}
