/**
 * The lines of a file, however long it is: read as they are asked for.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { UsageError } from '../../core/errors.ts'
import { LineSplitter, LineTooLong, type Line } from '../../core/text/lines.ts'
import { describeReadFault } from './read-fault.ts'

/** Bytes read at once. */
const CHUNK_BYTES = 65_536

/**
 * Every line that is not empty. The file is closed when the last one has been read, or the reader returns.
 *
 * @throws UsageError when it cannot be read, or holds a line over `maxBytes`
 */
export function* fileLines(path: string, maxBytes: number): Generator<Line, void, undefined> {
  const file = orRefuse(path, () => openSync(path, 'r'))
  try {
    const splitter = new LineSplitter(maxBytes, 'refuse')
    const chunk = Buffer.alloc(CHUNK_BYTES)
    for (;;) {
      const length = orRefuse(path, () => readSync(file, chunk, 0, chunk.length, null))
      if (length === 0) break
      const lines = splitter.feed(Buffer.from(chunk.subarray(0, length)))
      for (;;) {
        const next = orRefuse(path, () => lines.next())
        if (next.done === true) break
        yield next.value
      }
    }
    const last = splitter.end()
    if (last !== undefined) yield last
  } finally {
    closeSync(file)
  }
}

function orRefuse<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof LineTooLong) throw new UsageError(`${path} holds a line that is too long.`)
    throw new UsageError(`${path} cannot be read: ${describeReadFault(error)}.`, { cause: error })
  }
}
