/**
 * A stream of a bus, opened and read until it is closed.
 */
import type { IncomingMessage } from 'node:http'
import type { Answer } from '../adapter.ts'
import { EventReader, type StreamEvent } from './event-reader.ts'
import { readText, send, toAnswer } from './requests.ts'

/** An open stream with what has come over it. */
export interface Subscription {
  readonly events: readonly StreamEvent[]
  /** Resolves when there are so many events, or after some time without. */
  untilCount(count: number, maxMs: number): Promise<void>
  close(): void
}

/** The stream, or the refusal in the words of an answer. */
export type Opened =
  | { readonly subscription: Subscription; readonly refusal?: undefined }
  | { readonly subscription?: undefined; readonly refusal: Answer }

/** Opens a stream. @param base - as `send` takes it */
export async function openStream(
  base: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Opened> {
  const incoming = await send(base, {
    method: 'GET',
    path,
    headers: { ...headers, accept: 'text/event-stream' },
  })
  const status = incoming.statusCode ?? 0
  if (status === 200) return { subscription: read(incoming) }
  return { refusal: toAnswer({ status, body: parse(await readText(incoming)) }) }
}

function read(incoming: IncomingMessage): Subscription {
  const events: StreamEvent[] = []
  const reader = new EventReader()
  let wake: (() => void) | undefined
  incoming.setEncoding('utf8').on('data', (text: string) => {
    events.push(...reader.feed(text))
    wake?.()
  })
  // A stream that is cut shows in what did not come over it.
  incoming.on('error', () => {})
  return {
    events,
    untilCount: (count, maxMs) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, maxMs)
        wake = () => {
          if (events.length < count) return
          clearTimeout(timer)
          resolve()
        }
        wake()
      }),
    close: () => void incoming.destroy(),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
