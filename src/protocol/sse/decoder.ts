/**
 * The reading half of Server-Sent Events: text in any pieces, blocks out.
 *
 * Unlike the browser's parser it also reports blocks without data, because a block of only an id moves the
 * cursor that the next connection resumes from (SSE-08).
 */
import { LineTooLong } from '../../core/text/lines.ts'

/** One block, as the standard would dispatch it. */
export interface SseBlock {
  /** The event name; `message` when the block had none. */
  readonly event: string
  /** Undefined for a block that had no data line and dispatches nothing. */
  readonly data: string | undefined
  /** The last event id so far, this block's included; `''` when there has been none. */
  readonly lastEventId: string
  /** The reconnect delay this block asked for, in milliseconds. */
  readonly retryMs: number | undefined
}

const BYTE_ORDER_MARK = '\uFEFF'

/** A streaming decoder. Feed it decoded text; an unfinished block at the end is discarded (SSE-10). */
export class SseDecoder {
  /** The unfinished last line; never longer than the bound. */
  #rest = ''
  /** True until the first character has been seen, for the one optional byte order mark. */
  #atStart = true
  /** Set after a chunk that ended in CR: a leading LF in the next one belongs to it (SSE-03). */
  #afterCr = false
  #data: string | undefined
  #event = ''
  /** Id seen in the current block; it counts only when the block is complete. */
  #pendingId: string | undefined
  #lastEventId: string
  #retryMs: number | undefined
  readonly #maxLineLength: number
  readonly #onComment: ((text: string) => void) | undefined

  /**
   * @param lastEventId - the cursor the connection was opened with
   * @param maxLineLength - code units one line may have before `feed` throws
   * @param onComment - called with each comment, without its colon; the daemon's first says where it begins
   */
  constructor(lastEventId = '', maxLineLength = 1 << 20, onComment?: (text: string) => void) {
    this.#lastEventId = lastEventId
    this.#maxLineLength = maxLineLength
    this.#onComment = onComment
  }

  /** The id the next connection resumes from. */
  get lastEventId(): string {
    return this.#lastEventId
  }

  /**
   * @returns the blocks that this piece of text completed
   * @throws LineTooLong when a line outgrows the bound; the stream cannot be trusted any further
   */
  feed(text: string): SseBlock[] {
    const blocks: SseBlock[] = []
    let rest = this.#rest + this.#trimStart(text)
    let start = 0
    for (const match of rest.matchAll(/\r\n|\n|\r/g)) {
      const block = this.#line(rest.slice(start, match.index))
      if (block !== undefined) blocks.push(block)
      start = match.index + match[0].length
    }
    if (rest.length > 0) this.#afterCr = rest.endsWith('\r')
    rest = rest.slice(start)
    if (rest.length > this.#maxLineLength) throw new LineTooLong('a line of the event stream is too long')
    this.#rest = rest
    return blocks
  }

  #trimStart(text: string): string {
    let trimmed = text
    if (this.#atStart && text.length > 0) {
      this.#atStart = false
      if (text.startsWith(BYTE_ORDER_MARK)) trimmed = text.slice(1)
    }
    if (this.#afterCr && trimmed.length > 0) {
      this.#afterCr = false
      if (trimmed.startsWith('\n')) return trimmed.slice(1)
    }
    return trimmed
  }

  #line(line: string): SseBlock | undefined {
    if (line === '') return this.#dispatch()
    const colon = line.indexOf(':')
    if (colon === 0) {
      this.#onComment?.(line.slice(1))
      return undefined
    }
    const name = colon === -1 ? line : line.slice(0, colon)
    const raw = colon === -1 ? '' : line.slice(colon + 1)
    this.#field(name, raw.startsWith(' ') ? raw.slice(1) : raw)
    return undefined
  }

  #field(name: string, value: string): void {
    if (name === 'data') this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
    else if (name === 'event') this.#event = value
    else if (name === 'id' && !value.includes('\0')) this.#pendingId = value
    else if (name === 'retry' && /^\d+$/.test(value)) this.#retryMs = Number(value)
  }

  #dispatch(): SseBlock | undefined {
    const moved = this.#pendingId !== undefined
    this.#lastEventId = this.#pendingId ?? this.#lastEventId
    const block = {
      event: this.#event === '' ? 'message' : this.#event,
      data: this.#data,
      lastEventId: this.#lastEventId,
      retryMs: this.#retryMs,
    }
    this.#data = undefined
    this.#event = ''
    this.#pendingId = undefined
    this.#retryMs = undefined
    return block.data !== undefined || moved || block.retryMs !== undefined ? block : undefined
  }
}
