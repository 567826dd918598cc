/**
 * What a frame carries when it does not stand on the command line: a file, or stdin.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { messageOf, systemErrorCode } from '../../core/thrown.ts'
import { UsageError } from '../../core/errors.ts'
import { MAX_BODY_OCTETS } from '../../core/limits.ts'
import { GrowingBuffer } from '../../core/text/growing-buffer.ts'

const STDIN = 0

/** How long to leave an empty stdin alone that somebody has made non-blocking, in milliseconds. */
const EMPTY_PIPE_PAUSE_MS = 10

/**
 * Everything on stdin, up to what one frame may hold.
 *
 * @throws UsageError when there is more, or it is not UTF-8
 */
export function readStdin(): string {
  return readWhole(STDIN, 'stdin')
}

/**
 * As {@link readStdin}, from a file.
 *
 * @param maxOctets - where it is more than one frame holds
 * @throws UsageError as well when it cannot be read
 */
export function readContentFile(path: string, maxOctets = MAX_BODY_OCTETS): string {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    throw new UsageError(`--file cannot be read: ${messageOf(error)}.`, { cause: error })
  }
  try {
    return readWhole(file, path, maxOctets)
  } finally {
    closeSync(file)
  }
}

/** The first room that is made for it; a file that is as long as may be takes more. */
const CHUNK_OCTETS = MAX_BODY_OCTETS + 1

/** One octet more than may be there, so that "too much" is seen without reading on. */
function readWhole(file: number, name: string, maxOctets = MAX_BODY_OCTETS): string {
  const whole = new GrowingBuffer(maxOctets + 1)
  const bytes = Buffer.alloc(CHUNK_OCTETS)
  while (whole.length <= maxOctets) {
    const count = readSome(file, bytes.subarray(0, maxOctets + 1 - whole.length), name)
    if (count === 0) return decode(whole.take(), name)
    whole.append(bytes.subarray(0, count))
  }
  const what =
    maxOctets === MAX_BODY_OCTETS ? 'the limit of one frame' : 'the limit of what is kept of one handover'
  throw new UsageError(`${name} holds more than ${maxOctets} octets, ${what}.`)
}

function readSome(file: number, bytes: Buffer, name: string): number {
  for (;;) {
    try {
      return readSync(file, bytes, 0, bytes.length, null)
    } catch (error) {
      const code = systemErrorCode(error)
      // A closed stdin has nothing to say.
      if (code === 'EOF' || code === 'EBADF') return 0
      if (code !== 'EAGAIN')
        throw new UsageError(`${name} cannot be read: ${messageOf(error)}.`, { cause: error })
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EMPTY_PIPE_PAUSE_MS)
    }
  }
}

function decode(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw new UsageError(`${name} is not valid UTF-8.`, { cause: error })
  }
}
