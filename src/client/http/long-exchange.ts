/**
 * One request whose answer goes on for as long as both sides like: an event stream, or a pipe of frames.
 *
 * How it ends is a value, not an exception: its owner decides between coming back and giving up.
 */
import type { ClientRequest, IncomingMessage } from 'node:http'
import { HostRefusal } from '../../host/files/refusal.ts'
import { AgentdUnknownAnswer } from './errors.ts'
import { readRefusal } from './refusal.ts'

/** How an exchange ended, and what that means for the next one. */
export type Ending =
  /** The connection broke or the daemon has no room just now: come back. */
  | { readonly kind: 'lost'; readonly cause?: Error | undefined; readonly retryAfterMs?: number | undefined }
  /** The daemon does not want this request: do not come back. */
  | { readonly kind: 'refused'; readonly error: Error }
  /** The same request with another cursor, at once. */
  | { readonly kind: 'moved' }
  /** This side, or a 204 (SSE-01), has ended it. */
  | { readonly kind: 'over' }

/** What is done with the answer. */
export interface Receiver {
  /** The media type the answer must have. */
  readonly media: string
  /** @returns an ending when the exchange has to end here */
  onChunk(chunk: Buffer): Ending | undefined
}

/** The longest error body that is read. */
const MAX_ERROR_OCTETS = 65_536

const SERVER_FAULT = 500

export class LongExchange {
  /** Settles once, and never rejects. */
  readonly ended: Promise<Ending>
  readonly #request: ClientRequest
  readonly #receiver: Receiver
  /** Undefined once the exchange has ended. */
  #settle: ((ending: Ending) => void) | undefined
  /** Set when the answer begins. */
  #response: IncomingMessage | undefined
  /** Wanted by the owner, who may say so before the answer begins. */
  #paused = false

  constructor(request: ClientRequest, receiver: Receiver) {
    this.#request = request
    this.#receiver = receiver
    this.ended = new Promise((resolve) => {
      this.#settle = resolve
    })
    request.on('error', (cause) => {
      // A socket that must not be spoken to is no better the next time.
      this.end(cause instanceof HostRefusal ? { kind: 'refused', error: cause } : { kind: 'lost', cause })
    })
    request.on('close', () => {
      // With an answer, its own `close` counts: it comes after what was received has been read.
      if (this.#response === undefined) this.end({ kind: 'lost' })
    })
    request.on('response', (response) => this.#answer(response))
  }

  get isOpen(): boolean {
    return this.#settle !== undefined
  }

  /** Ends the exchange and frees its socket; only the first ending counts. */
  end(ending: Ending): void {
    const settle = this.#settle
    if (settle === undefined) return
    this.#settle = undefined
    this.#request.destroy()
    settle(ending)
  }

  /** Stops reading, so that the daemon feels how slow the consumer is. */
  pause(): void {
    this.#paused = true
    this.#response?.pause()
  }

  resume(): void {
    this.#paused = false
    this.#response?.resume()
  }

  #answer(response: IncomingMessage): void {
    this.#response = response
    response.on('error', (cause) => this.end({ kind: 'lost', cause }))
    const status = response.statusCode ?? 0
    if (status === 204) return this.end({ kind: 'over' })
    if (status !== 200) return this.#collectError(response, status)
    const media = response.headers['content-type'] ?? ''
    if (!media.startsWith(this.#receiver.media)) {
      const error = new AgentdUnknownAnswer(
        status,
        `The peer answered "${media}", not ${this.#receiver.media}.`,
      )
      return this.end({ kind: 'refused', error })
    }
    response.on('data', (chunk: Buffer) => this.#take(chunk))
    response.on('close', () => this.end({ kind: 'lost' }))
    if (this.#paused) response.pause()
    return undefined
  }

  #take(chunk: Buffer): void {
    if (!this.isOpen) return
    const ending = this.#receiver.onChunk(chunk)
    if (ending !== undefined) this.end(ending)
  }

  #collectError(response: IncomingMessage, status: number): void {
    const chunks: Buffer[] = []
    let octets = 0
    response.on('data', (chunk: Buffer) => {
      octets += chunk.length
      if (octets <= MAX_ERROR_OCTETS) chunks.push(chunk)
      else this.end({ kind: 'lost' })
    })
    response.on('close', () => this.end({ kind: 'lost' }))
    response.on('end', () => {
      const error = readRefusal(status, response.headers, Buffer.concat(chunks))
      if (status < SERVER_FAULT) return this.end({ kind: 'refused', error })
      return this.end({ kind: 'lost', cause: error, retryAfterMs: error.retryAfterMs })
    })
  }
}
