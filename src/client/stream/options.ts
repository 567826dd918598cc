/**
 * What a stream takes and what it yields.
 */
import { UsageError } from '../../core/errors.ts'
import type { Envelope } from '../../aee/envelope/envelope.ts'
import type { AgentdError } from '../../core/errors.ts'
import type { Frame } from '../../protocol/frame/frame.ts'
import type { Gap } from '../../protocol/sse/encoder.ts'

/** A frame as it came, with its place in the daemon's one sequence. */
export interface FrameItem {
  /** Tells it from other items. */
  readonly type: 'frame'
  /** Its place in the daemon's one sequence; `after` takes it. */
  readonly eventId: string
  /** The frame. */
  readonly frame: Frame
  /** Wall time of arrival here, in milliseconds since 1970. */
  readonly receivedMs: number
}

/** An AEE envelope as it came, with its place in the daemon's one sequence. */
export interface EnvelopeItem {
  /** Tells it from other items. */
  readonly type: 'envelope'
  /** Its place in the daemon's one sequence; `after` takes it. */
  readonly eventId: string
  /** The envelope. */
  readonly envelope: Envelope
  /** The envelope as its sender wrote it, on one line. */
  readonly text: string
  /** What the daemon treats it as: its own `priority`, or what the sender's quota left of it (AEQ-27). */
  readonly effectivePriority: string
  /** Its task had come to its end before (AEQ-26). */
  readonly late: boolean
  /** Wall time of arrival here, in milliseconds since 1970. */
  readonly receivedMs: number
}

/** What this reader cannot get any more; comes before any later frame (docs/http.md §6). */
export interface GapItem {
  /** Tells it from other items. */
  readonly type: 'gap'
  /** What is missing, and why. */
  readonly gap: Gap
}

/** What a stream yields. */
export type StreamItem = FrameItem | EnvelopeItem | GapItem

/** A frame or an envelope that came and that this library does not accept (ACQ-37). */
export interface InvalidFrame {
  /** Its place in the daemon's one sequence. */
  readonly eventId: string
  /** The text that came. */
  readonly data: string
  /** What is wrong with it. */
  readonly error: AgentdError
}

/** Where a stream begins and how it ends. */
export interface ResumeOptions {
  /** Event id to go on after, as an earlier run remembered it. */
  readonly after?: string | undefined
  /** Begin with this many of the newest retained items; not with `after`. */
  readonly replay?: number | undefined
  /** Ends the iteration with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Called at every connection; `position` is the daemon's newest event at that moment. */
  readonly onOpen?: ((position: string | undefined) => void) | undefined
  /** Called each time the daemon has no room just now (`busy`); it is tried again by itself. */
  readonly onBusy?: ((refusal: AgentdError) => void) | undefined
  /** Called for each frame or envelope that is dropped as invalid. */
  readonly onInvalid?: ((invalid: InvalidFrame) => void) | undefined
}

/** How a stream is opened. */
export interface StreamOptions extends ResumeOptions {
  /**
   * A filter expression such as `kind:agent_query,sender:~alice`; absent: every frame. It narrows frames; one
   * with a `kind:` clause leaves only the envelopes for the `entities` named here.
   */
  readonly filter?: string | undefined
  /** AEE entities and `bus.*` channels to hear for; a session hears for those it registered besides. */
  readonly entities?: readonly string[] | undefined
  /**
   * A stream beside the session's mailbox: what it does not take waits there, as if no stream were open. Default
   * false: a session that listens keeps up by itself.
   */
  readonly aside?: boolean | undefined
  /** Leave out frames that are older than they are good for, and tell `onExpired`. Default true. */
  readonly dropExpired?: boolean | undefined
  /** Called for each frame that is left out because it is stale. */
  readonly onExpired?: ((item: FrameItem) => void) | undefined
  /** Leave out frames and envelopes whose id came before (AC-184). Default true. */
  readonly dedupe?: boolean | undefined
  /** Whose stream; the caller's own handle when absent. */
  readonly handle?: string | undefined
}

/** How a principal's stream appears on the roster while it is open. */
export interface VisitorOptions {
  /** The instrument it is shown with; default `cli`. */
  readonly instrument?: string | undefined
  /** The id it is shown with; default: a new ULID, kept for the life of the stream. */
  readonly sessionId?: string | undefined
  /** Tool class, for the filter axis `tool`. */
  readonly tool?: string | undefined
}

/**
 * A stream for the envelopes of the entities it names, and for nothing else: no frame is of two kinds, and what
 * it leaves out is left for the mailbox.
 */
export const ENVELOPES_ONLY: StreamOptions = {
  filter: 'kind:flush_executed,kind:intent_declare',
  aside: true,
}

/** The `entities` of a query. @throws UsageError for an entity that no query can name */
export function formatEntities(entities: readonly string[] | undefined): string | undefined {
  const unspeakable = entities?.find((entity) => entity.includes(','))
  if (unspeakable !== undefined) {
    throw new UsageError(`A stream cannot name the entity "${unspeakable}": a comma separates entities.`)
  }
  // None at all is not the one entity without a name.
  return entities === undefined || entities.length === 0 ? undefined : entities.join(',')
}
