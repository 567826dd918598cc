/**
 * The lines of a log file, from its end backwards as far as is wanted, and then as they come: across a new start, which sets
 * a large file aside as `.1`, and never more of it in memory than a block and a line.
 *
 * `host/process/daemon-process.ts` has it written.
 *
 * @see docs/operations.md
 */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { LineSplitter } from '../../core/text/lines.ts'
import { systemErrorCode } from '../../core/thrown.ts'
import { HostRefusal } from '../../host/files/refusal.ts'

/** Octets read at once. */
const BLOCK_BYTES = 65_536

/** What is shown of a line; one of the daemon's own has a few hundred octets. */
export const MAX_LOG_LINE_BYTES = 16_384

/** Between two looks at a file that is followed, in milliseconds. */
const LOOK_EVERY_MS = 200

const LINE_FEED = 0x0a

/** Which lines. */
export interface LogWish {
  /** The last so many; undefined for all. */
  readonly lines: number | undefined
  /** Go on with what comes, until the signal. */
  readonly follows: boolean
  readonly signal: AbortSignal
}

/**
 * Lines without their breaks, oldest first; a longer one cut to an octet more than {@link MAX_LOG_LINE_BYTES}.
 *
 * @throws HostRefusal for what is no plain file, or cannot be read
 */
export async function* logLines(path: string, wish: LogWish): AsyncGenerator<Buffer, void, undefined> {
  const { lines, follows, signal } = wish
  let file = openLog(path)
  const size = file === undefined ? 0 : fstatSync(file).size
  const last = file === undefined || lines === undefined ? undefined : findLast(file, size, lines)
  // What was set aside is read where this file alone is not enough.
  const wanted = lines === undefined ? undefined : lines - (last?.found ?? 0)
  if (wanted === undefined || wanted > 0) yield* oldLines(`${path}.1`, wanted)
  let reader = new LogReader(file, last?.offset ?? 0)
  try {
    yield* reader.more()
    if (!follows) yield* reader.rest()
    for (let goesOn = follows; goesOn; goesOn = !signal.aborted) {
      await rest(signal)
      yield* reader.more()
      if (!reader.isReplaced(path)) continue
      const next = openLog(path)
      if (next === undefined) continue
      yield* reader.rest()
      if (file !== undefined) closeSync(file)
      file = next
      reader = new LogReader(file, 0)
    }
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** An end that comes meanwhile is for the loop to see. */
async function rest(signal: AbortSignal): Promise<void> {
  await pause(LOOK_EVERY_MS, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

/** Of a file that is not written to any more. */
function* oldLines(path: string, wanted: number | undefined): Generator<Buffer, void, undefined> {
  const file = openLog(path)
  if (file === undefined) return
  try {
    const last = wanted === undefined ? undefined : findLast(file, fstatSync(file).size, wanted)
    const reader = new LogReader(file, last?.offset ?? 0)
    yield* reader.more()
    yield* reader.rest()
  } finally {
    closeSync(file)
  }
}

/** One open file and how far it was read. */
class LogReader {
  readonly #file: number | undefined
  readonly #splitter = new LineSplitter(MAX_LOG_LINE_BYTES, 'cut')
  readonly #block = Buffer.alloc(BLOCK_BYTES)
  #offset: number

  constructor(file: number | undefined, offset: number) {
    this.#file = file
    this.#offset = offset
  }

  /** What has come since. A file that has become shorter is read from its beginning. */
  *more(): Generator<Buffer, void, undefined> {
    if (this.#file === undefined) return
    if (fstatSync(this.#file).size < this.#offset) this.#offset = 0
    for (;;) {
      const length = readSync(this.#file, this.#block, 0, BLOCK_BYTES, this.#offset)
      if (length === 0) return
      this.#offset += length
      // A copy: whoever reads may take its time.
      for (const { line } of this.#splitter.feed(Buffer.from(this.#block.subarray(0, length)))) yield line
    }
  }

  /** The last line, where nobody has ended it. */
  *rest(): Generator<Buffer, void, undefined> {
    yield* this.more()
    const end = this.#splitter.end()
    if (end !== undefined) yield end.line
  }

  /** Whether another file has its name by now, or none had when this was opened. */
  isReplaced(path: string): boolean {
    const found = statSync(path, { throwIfNoEntry: false })
    return found !== undefined && (this.#file === undefined || found.ino !== fstatSync(this.#file).ino)
  }
}

/** Where the last lines begin, looked for backwards. @returns how many there are, and the offset of the first of them */
function findLast(
  file: number,
  size: number,
  lines: number,
): { readonly found: number; readonly offset: number } {
  if (lines === 0) return { found: 0, offset: size }
  const block = Buffer.alloc(BLOCK_BYTES)
  let found = 0
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - BLOCK_BYTES)
    const length = readSync(file, block, 0, end - start, start)
    for (let at = length - 1; at >= 0; at -= 1) {
      // The last octet ends the last line, and begins none.
      if (block[at] !== LINE_FEED || start + at === size - 1) continue
      found += 1
      if (found === lines) return { found, offset: start + at + 1 }
    }
    end = start
  }
  // The first line has no break before it.
  return { found: found + (size > 0 ? 1 : 0), offset: 0 }
}

/** Undefined where there is none. Never through a link at its end, and never one that waits for a writer. */
function openLog(path: string): number | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  let file: number
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new HostRefusal(`The log ${path} cannot be read (${code ?? String(error)}).`, { cause: error })
  }
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw new HostRefusal(`The log ${path} is refused: it is no plain file.`)
}
