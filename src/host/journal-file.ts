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
import { HostRefusal } from './refusal.ts'

/** What a journal is opened with. */
export interface JournalParts {
  readonly path: string
  readonly uid: number
  /** Told once, with a sentence, when lines are being lost, and again after it had worked in between. */
  readonly onFault: (sentence: string) => void
}

/** The longest line that is looked for at the end of a file; ours are a thousandth of it. */
const MAX_LINE_BYTES = 1_048_576

const LINE_FEED = 0x0a

export class JournalFile {
  readonly #parts: JournalParts
  #file: number
  #bytes: number
  /** The last whole line when it was opened. */
  readonly lastLine: string | undefined
  #isFailing = false

  /** @throws HostRefusal when the file is not ours alone */
  constructor(parts: JournalParts) {
    this.#parts = parts
    this.#file = openPrivate(parts)
    const { lastLine, bytes } = mendEnd(this.#file)
    this.lastLine = lastLine
    this.#bytes = bytes
  }

  /** Bytes in the file. */
  get bytes(): number {
    return this.#bytes
  }

  /** Adds whole lines. @param text - each line with its line feed */
  append(text: string): void {
    if (text === '') return
    const data = Buffer.from(text)
    try {
      const written = writeSync(this.#file, data)
      this.#bytes += written
      if (written < data.length) throw new Error('the disk took only a part of it')
      this.#isFailing = false
    } catch (error) {
      this.#takeBack()
      if (!this.#isFailing) this.#parts.onFault(`${this.#parts.path} cannot be written: ${reasonOf(error)}.`)
      this.#isFailing = true
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
    } catch (error) {
      this.#parts.onFault(`${this.#parts.path} cannot be set aside: ${reasonOf(error)}.`)
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
    throw new HostRefusal(`${path} cannot be opened: ${reasonOf(error)}.`, { cause: error })
  }
  const found = fstatSync(file)
  if (found.isFile() && found.uid === uid && (found.mode & 0o077) === 0) return file
  closeSync(file)
  throw new HostRefusal(`${path} is refused: it must be a file of yours that nobody else may read or write.`)
}

/** Cuts off what follows the last line feed. */
function mendEnd(file: number): { readonly lastLine: string | undefined; readonly bytes: number } {
  const { size } = fstatSync(file)
  const tail = Buffer.alloc(Math.min(size, MAX_LINE_BYTES))
  readSync(file, tail, 0, tail.length, size - tail.length)
  const end = tail.lastIndexOf(LINE_FEED)
  const torn = tail.length - end - 1
  if (torn > 0) ftruncateSync(file, size - torn)
  const begin = end <= 0 ? -1 : tail.lastIndexOf(LINE_FEED, end - 1)
  return {
    lastLine: end === -1 ? undefined : tail.subarray(begin + 1, end).toString('utf8'),
    bytes: size - torn,
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
