/**
 * A private file that lines are only ever added to: a log, or evidence.
 *
 * A disk that refuses costs lines and is told once; whoever writes goes on. A line that a sudden end had cut in
 * two is taken off at the next opening, so that every line of the file is a whole one.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { messageOf } from '../../core/thrown.ts'
import { LineSplitter } from '../../core/text/lines.ts'
import { HostRefusal } from '../files/refusal.ts'

/** What a journal is opened with. */
export interface JournalParts {
  readonly path: string
  readonly uid: number
  /** Told once, with a sentence, when lines are being lost, and again after it had worked in between. */
  readonly onFault: (sentence: string) => void
}

/** The longest line that is looked for at the end of a file; ours are a thousandth of it. */
const MAX_LINE_BYTES = 1_048_576

/** Bytes read at a time. */
const CHUNK_BYTES = 65_536

const LINE_FEED = 0x0a

export class JournalFile {
  readonly #parts: JournalParts
  #file: number
  #bytes: number
  #lastLine: string | undefined
  #fault: string | undefined

  /** @throws HostRefusal when the file is not ours alone */
  constructor(parts: JournalParts) {
    this.#parts = parts
    this.#file = openPrivate(parts)
    try {
      const { lastLine, bytes } = mendEnd(this.#file)
      this.#lastLine = lastLine
      this.#bytes = bytes
    } catch (error) {
      closeSync(this.#file)
      throw error
    }
  }

  /** The last whole line of the file. */
  get lastLine(): string | undefined {
    return this.#lastLine
  }

  /** Why lines are being lost just now. */
  get fault(): string | undefined {
    return this.#fault
  }

  /** Bytes in the file. */
  get bytes(): number {
    return this.#bytes
  }

  /** Adds whole lines. @param text - each line with its line feed. @returns false when they are lost */
  append(text: string): boolean {
    if (text === '') return true
    const data = Buffer.from(text)
    try {
      const written = writeSync(this.#file, data)
      this.#bytes += written
      if (written < data.length) throw new Error('the disk took only a part of it')
      this.#fault = undefined
      this.#lastLine = text.slice(text.lastIndexOf('\n', text.length - 2) + 1, -1)
      return true
    } catch (error) {
      this.#takeBack()
      const isNews = this.#fault === undefined
      this.#fault = `${this.#parts.path} cannot be written: ${messageOf(error)}.`
      if (isNews) this.#parts.onFault(this.#fault)
      return false
    }
  }

  /** Sets the file aside under another name and begins an empty one. */
  moveTo(path: string): void {
    try {
      renameSync(this.#parts.path, path)
      const next = openPrivate(this.#parts)
      closeSync(this.#file)
      this.#file = next
      this.#bytes = 0
      this.#lastLine = undefined
    } catch (error) {
      this.#parts.onFault(`${this.#parts.path} cannot be set aside: ${messageOf(error)}.`)
    }
  }

  /** Every line of the file, oldest first. */
  *lines(): Generator<string> {
    const splitter = new LineSplitter(MAX_LINE_BYTES, 'refuse')
    const chunk = Buffer.alloc(CHUNK_BYTES)
    for (let place = 0; ;) {
      const count = readSync(this.#file, chunk, 0, chunk.length, place)
      if (count === 0) return
      place += count
      for (const { line } of splitter.feed(chunk.subarray(0, count))) yield line.toString('utf8')
    }
  }

  close(): void {
    closeSync(this.#file)
  }

  /** A part of a line is no line. */
  #takeBack(): void {
    try {
      this.#bytes = mendEnd(this.#file).bytes
    } catch {
      // The same disk that refused the write; the next opening looks again.
    }
  }
}

function openPrivate({ path, uid }: JournalParts): number {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW
  let file: number
  try {
    file = openSync(path, flags | constants.O_NONBLOCK, 0o600)
  } catch (error) {
    throw new HostRefusal(`${path} cannot be opened: ${messageOf(error)}.`, { cause: error })
  }
  const found = fstatSync(file)
  if (found.isFile() && found.uid === uid && (found.mode & 0o077) === 0) return file
  closeSync(file)
  throw new HostRefusal(`${path} is refused: it must be a file of yours that nobody else may read or write.`)
}

/** Cuts off what follows the last line feed, however much that is. */
function mendEnd(file: number): { readonly lastLine: string | undefined; readonly bytes: number } {
  const { size } = fstatSync(file)
  const end = findLineFeed(file, size)
  if (end + 1 < size) ftruncateSync(file, end + 1)
  if (end === -1) return { lastLine: undefined, bytes: 0 }
  const begin = Math.max(findLineFeed(file, end) + 1, end - MAX_LINE_BYTES)
  const line = Buffer.alloc(end - begin)
  readSync(file, line, 0, line.length, begin)
  return { lastLine: line.toString('utf8'), bytes: end + 1 }
}

/** The place of the last line feed before another place; -1 when there is none. */
function findLineFeed(file: number, before: number): number {
  const chunk = Buffer.alloc(CHUNK_BYTES)
  for (let end = before; end > 0; end -= CHUNK_BYTES) {
    const begin = Math.max(0, end - CHUNK_BYTES)
    readSync(file, chunk, 0, end - begin, begin)
    const found = chunk.subarray(0, end - begin).lastIndexOf(LINE_FEED)
    if (found !== -1) return begin + found
  }
  return -1
}
