/**
 * Writing to a stream of the process, at once and whole.
 *
 * Synchronous on purpose: `process.stdout` costs a short way milliseconds, and a reader that is slow (a pager, a stopped
 * pipe) should slow us down instead of filling our memory.
 */
import { writeSync } from 'node:fs'
import { systemErrorCode } from '../../core/thrown.ts'

/** How long to leave a full pipe alone that somebody has made non-blocking, in milliseconds. */
const FULL_PIPE_PAUSE_MS = 5

/** EBADF: started with the stream closed (`>&-`). EIO: the terminal has been hung up. */
const GONE = new Set(['EPIPE', 'EBADF', 'EIO'])

/**
 * @param maxPauses - how often a full pipe is waited for, by who must not be held up
 * @returns false when the reader has gone, or has taken nothing for that long
 */
export function writeWhole(stream: number, text: string, maxPauses = Number.POSITIVE_INFINITY): boolean {
  let rest = Buffer.from(text)
  for (let pauses = 0; rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(stream, rest))
    } catch (error) {
      const code = systemErrorCode(error) ?? ''
      if (code !== 'EAGAIN' && !GONE.has(code)) throw error
      if (code !== 'EAGAIN' || pauses === maxPauses) return false
      pauses += 1
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_PAUSE_MS)
    }
  }
  return true
}
