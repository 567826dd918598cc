/**
 * Server-Sent Events as an async iterable that survives the daemon: it comes back after a drop, resumes
 * where it was, and says what it could not get (AC-142, AC-145).
 *
 * @see memo §7, AC-136…AC-145, ACQ-22; docs/http.md §6
 */
import { AgentdError } from '../../core/errors.ts'
import { RETRY_MS } from '../../core/limits.ts'
import { MEDIA_SSE } from '../../protocol/http/media.ts'
import { EVENT_BYE, EVENT_GAP } from '../../protocol/sse/encoder.ts'
import type { SseBlock } from '../../protocol/sse/decoder.ts'
import { Backoff, pause, toError } from '../http/backoff.ts'
import type { Call, Connection } from '../http/connection.ts'
import { Cursor } from './cursor.ts'
import { EventStream, type StreamListener } from './event-stream.ts'
import { ItemQueue } from './item-queue.ts'
import type { Ending } from '../http/long-exchange.ts'
import { byeEnding, readGap } from './events.ts'
import type { GapItem, ResumeOptions } from './options.ts'

/** What is asked for, and what is made of the answer. */
export interface StreamPlace<Item> {
  /** The request, but for where it begins. */
  readonly call: Pick<Call, 'route' | 'path' | 'query'>
  readonly reader: BlockReader<Item>
  /** Called once, when the stream is over. */
  readonly onEnd: () => void
}

/** Makes items of the data of events. */
export interface BlockReader<Item> {
  /**
   * @param comments - what the daemon says beside the data of the block
   * @returns undefined for what is left out
   */
  read(block: SseBlock, data: string, comments: readonly string[]): Item | undefined
  /** How many usual items one is as large as, so that a queue of items bounds memory. */
  weightOf(item: Item): number
}

/** Items that may wait for the consumer before the socket is left unread; a large envelope counts for many. */
const MAX_WAITING_ITEMS = 256

/** Waits between two connections; the base is the daemon's to change with `retry:`. */
const STREAM_BACKOFF = { baseMs: RETRY_MS, capMs: 30_000 }

/** A connection that lived this long was a good one: the next drop starts the waits anew. */
const GOOD_CONNECTION_MS = 30_000

/** An open stream. It connects as soon as it is made, and has one consumer. */
export class ResumingStream<Item>
  implements AsyncIterableIterator<Item | GapItem, undefined>, AsyncDisposable
{
  /** The daemon's position at the first connection; rejects when the stream ends before it. */
  readonly opened: Promise<string | undefined>
  readonly #connection: Connection
  readonly #place: StreamPlace<Item>
  readonly #options: ResumeOptions
  readonly #queue: ItemQueue<Item | GapItem>
  readonly #backoff: Backoff
  readonly #cursor: Cursor
  /** Ends the wait between two connections. */
  readonly #stopping = new AbortController()
  readonly #done: Promise<void>
  /** Settles `opened`; undefined once it has. */
  #opening: { resolve(position: string | undefined): void; reject(error: Error): void } | undefined
  /** The connection of the moment; a finished one between two of them. */
  #current: EventStream | undefined
  /** When the connection of the moment was greeted, monotonic; undefined before. */
  #greetedMs: number | undefined
  /** True while the consumer has enough; a new connection then starts unread. */
  #held = false

  constructor(connection: Connection, place: StreamPlace<Item>, options: ResumeOptions) {
    this.#connection = connection
    this.#place = place
    this.#options = options
    this.#cursor = new Cursor(options.after, options.replay)
    this.#backoff = new Backoff(STREAM_BACKOFF, connection.parts.random)
    this.#queue = new ItemQueue(MAX_WAITING_ITEMS, {
      onFull: () => this.#hold(),
      onDrained: () => this.#release(),
    })
    this.opened = new Promise((resolve, reject) => {
      this.#opening = { resolve, reject }
    })
    // Whoever does not wait for the opening learns of a failure from the iteration.
    this.opened.catch(() => {})
    options.signal?.addEventListener('abort', this.#abort)
    if (options.signal?.aborted === true) this.#abort()
    this.#done = this.#run()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** @throws the refusal, when the daemon does not want this stream; the reason, when the signal aborted */
  next(): Promise<IteratorResult<Item | GapItem, undefined>> {
    return this.#queue.next()
  }

  /** Ends the stream; nothing of it is left when the promise resolves. */
  async return(): Promise<IteratorResult<Item | GapItem, undefined>> {
    this.#stop()
    await this.#done
    return { done: true, value: undefined }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  async #run(): Promise<void> {
    try {
      this.#finish(await this.#follow())
    } catch (error) {
      this.#finish(toError(error))
    }
  }

  /** Connects again and again. @returns why it was given up, where there is a reason */
  async #follow(): Promise<Error | undefined> {
    let moved = false
    while (!this.#stopping.signal.aborted) {
      const ending = await this.#connect().ended
      if (ending.kind === 'over') return undefined
      if (ending.kind === 'refused') return ending.error
      if (ending.kind === 'lost' && isBusy(ending.cause)) this.#options.onBusy?.(ending.cause)
      // A second move in a row is a daemon that cannot settle; it is treated like a drop.
      if (ending.kind === 'lost' || moved) await this.#wait(ending)
      moved = ending.kind === 'moved'
    }
    return undefined
  }

  #connect(): EventStream {
    const { lastEventId, query } = this.#cursor
    const { clock } = this.#connection.parts
    const { call } = this.#place
    const request = this.#connection.open(
      { ...call, query: { ...call.query, ...query } },
      {
        accept: MEDIA_SSE,
        'cache-control': 'no-store',
        ...(lastEventId !== '' && { 'last-event-id': lastEventId }),
      },
    )
    this.#greetedMs = undefined
    const stream = new EventStream(request, this.#listener, clock, lastEventId)
    if (this.#held) stream.pause()
    this.#current = stream
    return stream
  }

  async #wait(ending: Ending): Promise<void> {
    const { clock } = this.#connection.parts
    const aliveMs = this.#greetedMs === undefined ? 0 : clock.monotonicMs() - this.#greetedMs
    if (aliveMs >= GOOD_CONNECTION_MS) this.#backoff.reset()
    const askedMs = ending.kind === 'lost' ? (ending.retryAfterMs ?? 0) : 0
    const delayMs = Math.max(Math.min(askedMs, STREAM_BACKOFF.capMs), this.#backoff.nextMs())
    try {
      await pause(clock, delayMs, this.#stopping.signal)
    } catch (error) {
      if (!this.#stopping.signal.aborted) throw error
    }
  }

  /** What the connection of the moment reports. */
  readonly #listener: StreamListener = {
    onOpen: (position) => {
      this.#greetedMs = this.#connection.parts.clock.monotonicMs()
      this.#cursor.greeted(position)
      this.#opening?.resolve(position)
      this.#opening = undefined
      this.#options.onOpen?.(position)
    },
    onBlock: (block, comments) => {
      if (block.retryMs !== undefined) this.#backoff.rebase(block.retryMs)
      this.#cursor.moveTo(block.lastEventId)
      return block.data === undefined ? undefined : this.#takeEvent(block, block.data, comments)
    },
  }

  #takeEvent(block: SseBlock, data: string, comments: readonly string[]): Ending | undefined {
    switch (block.event) {
      case EVENT_GAP: {
        const gap = readGap(data, block.lastEventId)
        this.#queue.push({ type: 'gap', gap })
        return this.#cursor.crossEpoch(gap) ? { kind: 'moved' } : undefined
      }
      case EVENT_BYE:
        return byeEnding(data)
      default: {
        const { reader } = this.#place
        const item = reader.read(block, data, comments)
        if (item !== undefined) this.#queue.push(item, reader.weightOf(item))
        return undefined
      }
    }
  }

  #hold(): void {
    this.#held = true
    this.#current?.pause()
  }

  #release(): void {
    this.#held = false
    this.#current?.resume()
  }

  readonly #abort = (): void => this.#stop(toError(this.#options.signal?.reason))

  #stop(error?: Error): void {
    this.#queue.discard(error)
    this.#opening?.reject(error ?? endedEarly())
    this.#opening = undefined
    this.#stopping.abort()
    this.#current?.end({ kind: 'over' })
  }

  #finish(error?: Error): void {
    this.#queue.end(error)
    this.#opening?.reject(error ?? endedEarly())
    this.#opening = undefined
    this.#options.signal?.removeEventListener('abort', this.#abort)
    this.#place.onEnd()
  }
}

function isBusy(cause: Error | undefined): cause is AgentdError {
  return cause instanceof AgentdError && cause.code === 'busy'
}

function endedEarly(): AgentdError {
  return new AgentdError('closing', 'The stream was ended before it was open.')
}
