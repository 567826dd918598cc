/**
 * What a stream takes and what it yields.
 */
import type { AgentdError } from '../core/errors.ts'
import type { Frame } from '../protocol/frame.ts'
import type { Gap } from '../protocol/sse.ts'

/** A frame as it came, with its place in the daemon's one sequence. */
export interface FrameItem {
  readonly type: 'frame'
  readonly eventId: string
  readonly frame: Frame
  /** Wall time of arrival here, in milliseconds since 1970. */
  readonly receivedMs: number
}

/** What this reader cannot get any more; comes before any later frame (wire §6). */
export interface GapItem {
  readonly type: 'gap'
  readonly gap: Gap
}

/** What a stream yields. */
export type StreamItem = FrameItem | GapItem

/** A frame that came and that this library does not accept (ACQ-37). */
export interface InvalidFrame {
  readonly eventId: string
  readonly data: string
  readonly error: AgentdError
}

/** How a stream is opened. */
export interface StreamOptions {
  /** A filter expression such as `kind:agent_query,sender:~alice`; absent: every frame. */
  readonly filter?: string | undefined
  /** Event id to go on after, as an earlier run remembered it. */
  readonly after?: string | undefined
  /** Begin with this many of the newest retained frames; not with `after`. */
  readonly replay?: number | undefined
  /** Ends the iteration with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Leave out frames past `created_at + ttl_ms` (AC-183). Default false. */
  readonly dropExpired?: boolean | undefined
  /** Leave out frames whose `frame_id` came before (AC-184). Default true. */
  readonly dedupe?: boolean | undefined
  /** Whose stream; the caller's own handle when absent. */
  readonly handle?: string | undefined
  /** Called at every connection; `position` is the daemon's newest event at that moment. */
  readonly onOpen?: ((position: string | undefined) => void) | undefined
  /** Called for each frame that is dropped as invalid. */
  readonly onInvalid?: ((invalid: InvalidFrame) => void) | undefined
}

/** How a principal's stream appears on the roster while it is open. */
export interface VisitorOptions {
  /** Default `cli`. */
  readonly instrument?: string | undefined
  /** Default: a new ULID, kept for the life of the stream. */
  readonly sessionId?: string | undefined
  /** Tool class, for the filter axis `tool`. */
  readonly tool?: string | undefined
}
