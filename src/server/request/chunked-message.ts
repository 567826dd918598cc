/**
 * Requests whose chunks are counted: many small ones cost a hundred times what they carry, and the parser hands over all
 * of a read at once. Forty connections that sent chunks of one octet left nobody else a word for eleven seconds.
 *
 * @see R-51; HD-10
 */
import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../../core/clock.ts'

/** Chunks that a connection may send however small they are, before they are weighed. */
export const MAX_SMALL_CHUNKS = 1_024

/** What so many chunks have to carry on the average, in octets. */
export const LEAST_CHUNK_OCTETS = 32

/** Whoever takes longer for so many holds nobody up, in milliseconds. */
export const SMALL_CHUNKS_MS = 10_000

/** What the sender of too many small chunks is refused for. */
export class SmallChunks extends Error {
  override readonly name = 'SmallChunks'
}

/** The chunks of one connection since they were weighed last. */
interface ChunkCount {
  chunks: number
  octets: number
  sinceMs: number
}

/** A request as Node's parser fills it. */
export class ChunkedMessage extends IncomingMessage {
  /** Asked about each piece of the body, when it comes in chunks; false for one that is not to be taken. */
  accepts: ((octets: number) => boolean) | undefined
  #isRefused = false

  /** The next piece of the body; null for its end. Behind what is refused nothing is taken: half a body is none. */
  override push(piece: unknown, encoding?: BufferEncoding): boolean {
    if (this.#isRefused) return false
    this.#isRefused = Buffer.isBuffer(piece) && this.accepts?.(piece.length) === false
    return !this.#isRefused && super.push(piece, encoding)
  }
}

/** The bound on small chunks, over all requests of a connection. */
export class ChunkBound {
  readonly #clock: Clock
  readonly #counts = new WeakMap<Socket, ChunkCount>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts what comes of this request from now on, if it comes in chunks; told once when there are too many. */
  watch(request: ChunkedMessage, tooMany: (error: SmallChunks) => void): void {
    if (request.headers['transfer-encoding'] === undefined) return
    const count = this.#countOf(request.socket)
    request.accepts = (octets) => {
      if (!this.#areTooMany(count, octets)) return true
      tooMany(new SmallChunks('Many chunks carry next to nothing.'))
      return false
    }
  }

  #countOf(socket: Socket): ChunkCount {
    const known = this.#counts.get(socket)
    if (known !== undefined) return known
    const count = { chunks: 0, octets: 0, sinceMs: this.#clock.monotonicMs() }
    this.#counts.set(socket, count)
    return count
  }

  /** Looks at the clock once in so many chunks. */
  #areTooMany(count: ChunkCount, octets: number): boolean {
    count.chunks += 1
    count.octets += octets
    if (count.chunks <= MAX_SMALL_CHUNKS) return false
    const nowMs = this.#clock.monotonicMs()
    const areSmall = count.octets < count.chunks * LEAST_CHUNK_OCTETS
    const areFast = nowMs - count.sinceMs < SMALL_CHUNKS_MS
    count.chunks = 0
    count.octets = 0
    count.sinceMs = nowMs
    return areSmall && areFast
  }
}
