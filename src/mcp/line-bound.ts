/**
 * Lines of a bounded length and a bounded number of parts: one beyond them is left out, and those behind it still come
 * through.
 *
 * Without it, one huge message would end the connection, and with it the session's only way to its peers, and one of nested
 * arrays would hold up everybody whom the daemon serves (R-51).
 */
import { Transform, type TransformCallback } from 'node:stream'
import { MAX_JSON_PARTS } from '../core/limits.ts'
import { hasTooManyParts, readJsonShape } from '../core/text/json-shape.ts'

const LINE_FEED = 0x0a

/** By which a request is answered. */
export type RequestId = string | number

/**
 * Where an id stands in a message that is not parsed: first, or behind the version, or last. Of a message that is JSON each is a
 * member of the outermost object.
 */
const IDS = [
  /^\s*\{(?:"jsonrpc":\s*"2\.0",\s*)?"id":\s*(-?\d{1,15}|"[^"\\]{1,256}")\s*[,}]/,
  /,\s*"id":\s*(-?\d{1,15}|"[^"\\]{1,256}")\s*\}\s*$/,
]

/** How much of either end of a message may be looked through for it, in characters. */
const ID_WITHIN = 512

/** What is done besides passing lines on. */
export interface LineRules {
  readonly maxOctets: number
  /** Called once for every line that was left out, with the id of the request that it was where that can be told. */
  readonly onDropped: (id: RequestId | null) => void
  /** Whether a line, its end included, is somebody else's; it goes no further then. */
  readonly takes: (line: Buffer) => boolean
  /** Told what an unfinished line holds, in octets; throws where that is more than may be held. */
  readonly holds: (octets: number) => void
  /** Calls back when more may come in. */
  readonly onceRead: (goOn: () => void) => void
}

/** Passes whole lines on, in order; a last line without its end is dropped with the stream. */
export class LineBound extends Transform {
  readonly #rules: LineRules
  #parts: Buffer[] = []
  #octets = 0
  /** The line at hand is too long already: everything up to its end is left out. */
  #isDropping = false

  constructor(rules: LineRules) {
    super()
    this.#rules = rules
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.#take(chunk.subarray(start, end + 1))
      this.#endLine()
      start = end + 1
    }
    this.#take(chunk.subarray(start))
    try {
      this.#rules.holds(this.#octets)
    } catch (error) {
      return done(error instanceof Error ? error : new Error(String(error)))
    }
    // Who does not read the answers is not read from either: neither side's queue can grow.
    this.#rules.onceRead(done)
  }

  #take(part: Buffer): void {
    if (this.#isDropping || part.length === 0) return
    this.#parts.push(part)
    this.#octets += part.length
    if (this.#octets <= this.#rules.maxOctets) return
    this.#parts = []
    this.#octets = 0
    this.#isDropping = true
    this.#rules.onDropped(null)
  }

  #endLine(): void {
    const line = Buffer.concat(this.#parts)
    if (!this.#isDropping && !this.#rules.takes(line)) {
      if (isSlowToRead(line)) this.#rules.onDropped(findId(line.toString()))
      else this.push(line)
    }
    this.#parts = []
    this.#octets = 0
    this.#isDropping = false
  }
}

/** What is short has few parts, however it is written. */
function isSlowToRead(line: Buffer): boolean {
  return line.length > MAX_JSON_PARTS && hasTooManyParts(readJsonShape(line.toString()))
}

function findId(text: string): RequestId | null {
  const ends = [text.slice(0, ID_WITHIN), text.slice(-ID_WITHIN)]
  const [found] = IDS.flatMap((id, i) => id.exec(ends[i] ?? '')?.[1] ?? [])
  if (found === undefined) return null
  return found.startsWith('"') ? found.slice(1, -1) : Number(found)
}
