/**
 * One connection of a stream: bytes in, blocks out, silence noticed. Whether to come back is its owner's.
 *
 * @see SSE-01…SSE-16, AC-139, AC-140
 */
import type { ClientRequest } from 'node:http'
import type { Clock } from '../../core/clock.ts'
import { readEventId } from '../../protocol/address/event-id.ts'
import { MAX_ENVELOPE_OCTETS, STREAM_DEAD_MS } from '../../core/limits.ts'
import { LineTooLong } from '../../core/text/lines.ts'
import { MEDIA_SSE } from '../../protocol/http/media.ts'
import { SseDecoder, type SseBlock } from '../../protocol/sse/decoder.ts'
import { LongExchange, type Ending, type Receiver } from '../http/long-exchange.ts'
import { Silence } from '../http/silence.ts'

/** What the owner hears of. */
export interface StreamListener {
  /** The daemon has greeted; `position` is its newest event at that moment, when it said so. */
  onOpen(position: string | undefined): void
  /**
   * @param comments - what the daemon says beside the data of the block
   * @returns an ending when the connection has to end at this block
   */
  onBlock(block: SseBlock, comments: readonly string[]): Ending | undefined
}

/** Code units of one line: the largest envelope, its recipient, which may fill one, and what a watch says beside both. */
export const MAX_LINE_LENGTH = 2 * MAX_ENVELOPE_OCTETS + 4_096

/** Comments of one block that are kept; the daemon writes one. */
const MAX_COMMENTS = 8

/** Where a comment may begin that is not the rest of one. */
const COMMENT_BEGINS = /(?:^|[\r\n]):/

/** One line with its end, or the beginning of one. */
const LINE = /[^\r\n]*[\r\n]|[^\r\n]+$/g

/** The daemon's first comment: where the stream stood when it was opened (docs/http.md §6). */
const GREETING = /^ ?agentd (\S+)$/

/** A block, and what was said in it or since the one before. */
interface CommentedBlock {
  readonly block: SseBlock
  readonly comments: readonly string[]
}

export class EventStream implements Receiver {
  readonly media = MEDIA_SSE
  readonly #exchange: LongExchange
  readonly #listener: StreamListener
  readonly #decoder: SseDecoder
  /** Broken bytes are a broken stream; the byte order mark is the decoder's to judge (SSE-02). */
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  readonly #silence: Silence
  #greeted = false
  /** Comments since the last block. */
  #comments: string[] = []

  /** @param lastEventId - the cursor the request was made with */
  constructor(request: ClientRequest, listener: StreamListener, clock: Clock, lastEventId: string) {
    this.#listener = listener
    this.#decoder = new SseDecoder(lastEventId, MAX_LINE_LENGTH, (comment) => this.#takeComment(comment))
    this.#exchange = new LongExchange(request, this)
    this.#silence = new Silence(clock, STREAM_DEAD_MS, () => {
      this.end({ kind: 'lost', cause: new Error(`nothing was heard for ${STREAM_DEAD_MS} ms`) })
    })
    this.#silence.heard()
    void this.ended.then(() => this.#silence.stop())
    request.end()
  }

  /** Settles once, and never rejects. */
  get ended(): Promise<Ending> {
    return this.#exchange.ended
  }

  end(ending: Ending): void {
    this.#silence.stop()
    this.#exchange.end(ending)
  }

  /** Stops reading; a reader that does not listen cannot call the other side silent. */
  pause(): void {
    this.#silence.stop()
    this.#exchange.pause()
  }

  resume(): void {
    if (!this.#exchange.isOpen) return
    this.#silence.heard()
    this.#exchange.resume()
  }

  onChunk(chunk: Buffer): Ending | undefined {
    this.#silence.heard()
    let blocks: readonly CommentedBlock[]
    try {
      blocks = this.#decode(this.#utf8.decode(chunk, { stream: true }))
    } catch (cause) {
      // The two documented faults: bytes that are no UTF-8, and a line without end.
      if (cause instanceof TypeError || cause instanceof LineTooLong) return { kind: 'lost', cause }
      throw cause
    }
    for (const { block, comments } of blocks) {
      this.#open(undefined)
      const ending = this.#listener.onBlock(block, comments)
      if (ending !== undefined) return ending
    }
    return undefined
  }

  #decode(text: string): readonly CommentedBlock[] {
    const found: CommentedBlock[] = []
    for (const piece of cutAtComments(text)) {
      for (const block of this.#decoder.feed(piece)) {
        found.push({ block, comments: this.#comments })
        this.#comments = []
      }
    }
    return found
  }

  #takeComment(comment: string): void {
    // Keep-alives stand in no block, and give way to what comes after them.
    if (this.#comments.length === MAX_COMMENTS) this.#comments.shift()
    this.#comments.push(comment)
    const position = GREETING.exec(comment)?.[1]
    this.#open(position !== undefined && readEventId(position) !== undefined ? position : undefined)
  }

  #open(position: string | undefined): void {
    if (this.#greeted) return
    this.#greeted = true
    this.#listener.onOpen(position)
  }
}

/**
 * The decoder reports a comment when it comes and blocks when a piece has been read. Fed line by line, it
 * tells a comment before the block it stands in and after the one before; without comments it is fed at once.
 */
function cutAtComments(text: string): readonly string[] {
  return COMMENT_BEGINS.test(text) ? (text.match(LINE) ?? []) : [text]
}
