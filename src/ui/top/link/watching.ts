/**
 * The watch, held for as long as the terminal is open: read as it comes, resumed where it broke.
 *
 * @see W-1, SEAT-19; docs/http.md §6
 */
import { AgentdError } from '../../../core/errors.ts'
import { parseMembers } from '../../../core/text/json-object.ts'
import { Backoff, pause } from '../../../client/http/backoff.ts'
import type { Connection } from '../../../client/http/connection.ts'
import type { Ending } from '../../../client/http/long-exchange.ts'
import { EventStream } from '../../../client/stream/event-stream.ts'
import { MEDIA_SSE } from '../../../protocol/http/media.ts'
import type { SseBlock } from '../../../protocol/sse/decoder.ts'
import type { SeatModel } from '../../seat/seat-model.ts'
import { readWatchEvent } from '../../seat/watch-event.ts'
import type { Presence } from '../../serve/upstream/presence.ts'

/** Items of the past that a new seat shows. */
export const REPLAY_ITEMS = 500

/** Waits between two connections, in milliseconds (SEAT-19). */
const WATCH_BACKOFF = { baseMs: 100, capMs: 5_000 }

/** What it is made from. */
export interface WatchingParts {
  readonly connection: Connection
  readonly presence: Presence
  readonly model: SeatModel
  /** Called after everything that was fed. */
  readonly onNews: () => void
}

/** Watches until the signal aborts; whatever breaks meanwhile is told by the model. */
export async function watch(parts: WatchingParts, signal: AbortSignal): Promise<void> {
  const { connection, model, onNews } = parts
  const { clock, random } = connection.parts
  const backoff = new Backoff(WATCH_BACKOFF, random)
  while (!signal.aborted) {
    const ending = await watchOnce(parts, signal, () => backoff.reset())
    if (signal.aborted) return
    // Whoever said goodbye has said why.
    if (model.link.state !== 'lost') model.setLink('lost', ending.kind)
    onNews()
    await pause(clock, backoff.nextMs(), signal).catch(() => {})
  }
}

/** One connection, from its opening to its end. */
async function watchOnce(parts: WatchingParts, signal: AbortSignal, onLive: () => void): Promise<Ending> {
  const { connection, presence, model } = parts
  try {
    const token = await presence.token()
    // Who quits while the session is made hears no more of it.
    if (signal.aborted) return { kind: 'over' }
    const after = model.newestEventId
    const request = connection
      .withToken(token)
      .open(
        { route: 'openWatch', query: after === '' ? { replay: REPLAY_ITEMS } : {} },
        { accept: MEDIA_SSE, ...(after !== '' && { 'last-event-id': after }) },
      )
    const listener = { onOpen: onLive, onBlock: (block: SseBlock) => feed(parts, block) }
    const stream = new EventStream(request, listener, connection.parts.clock, after)
    const end = (): void => stream.end({ kind: 'over' })
    signal.addEventListener('abort', end, { once: true })
    const ending = await stream.ended
    signal.removeEventListener('abort', end)
    const isUnknown = ending.kind === 'refused' && ending.error instanceof AgentdError
    if (isUnknown && ending.error.code === 'unauthenticated') await presence.lost(token)
    return ending
  } catch {
    // The daemon is not there, or does not want the session yet: it is asked again.
    return { kind: 'lost' }
  }
}

function feed({ model, onNews }: WatchingParts, { event, data, lastEventId }: SseBlock): undefined {
  const read = data === undefined ? undefined : readWatchEvent(event, parseMembers(data), lastEventId)
  if (read === undefined) return undefined
  model.feed(read)
  onNews()
  return undefined
}
