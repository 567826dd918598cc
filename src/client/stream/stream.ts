/**
 * The per-handle stream: frames and envelopes for whoever holds it.
 *
 * @see memo §7, AC-136…AC-145, AC-183, AC-184, ACQ-22, ACQ-37; docs/http.md §6
 */
import type { Connection } from '../http/connection.ts'
import { ItemReader } from './items.ts'
import { formatEntities, type EnvelopeItem, type FrameItem, type StreamOptions } from './options.ts'
import { ResumingStream } from './resuming.ts'

/** Whose stream, and as whom. */
export interface StreamOwner {
  readonly handle: string
  /** The name of an anonymous subscription, as query parameters. */
  readonly query: Readonly<Record<string, string | undefined>>
  /** Called once, when the stream is over. */
  readonly onEnd: () => void
}

/** An open stream. It connects as soon as it is made, and has one consumer. */
export class AgentdStream extends ResumingStream<FrameItem | EnvelopeItem> {
  /** Made by `stream()` of a client or a session. @throws UsageError for an entity that no query can name */
  constructor(connection: Connection, { handle, query, onEnd }: StreamOwner, options: StreamOptions) {
    const { filter, aside } = options
    const entities = formatEntities(options.entities)
    const asked = { ...query, filter, entities, aside: aside === true ? 'true' : undefined }
    const reader = new ItemReader(connection.parts.clock, options)
    super(
      connection,
      { call: { route: 'openStream', path: { handle }, query: asked }, reader, onEnd },
      options,
    )
  }
}
