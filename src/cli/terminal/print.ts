/**
 * Writing to the two streams of the process, at once and whole.
 *
 * Synchronous on purpose: `process.stdout` costs the hook path milliseconds, and a reader that is slow (a
 * pager, a stopped pipe) should slow us down instead of filling our memory.
 */
import { writeSync } from 'node:fs'
import { systemErrorCode } from '../../core/thrown.ts'
import { escapeUnseen } from '../../core/text/unseen.ts'

const STDOUT = 1
const STDERR = 2

/** How long to leave a full pipe alone that somebody has made non-blocking, in milliseconds. */
const FULL_PIPE_PAUSE_MS = 5

/** Results go to stdout. A reader that has gone away has all it wanted: the process ends without a word. */
export function printOut(text: string): void {
  if (!printWhole(STDOUT, text)) process.exit(0)
}

/** A line of JSON, safe on whatever screen it ends up on (HD-19). */
export function printJson(line: string): void {
  printOut(`${escapeUnseen(line)}\n`)
}

/** Everything else goes to stderr; when nobody reads it, there is nobody to tell. */
export function printError(text: string): void {
  printWhole(STDERR, text)
}

/** @returns false when the reader has gone */
function printWhole(stream: number, text: string): boolean {
  let rest = Buffer.from(text)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(stream, rest))
    } catch (error) {
      const code = systemErrorCode(error)
      if (code === 'EAGAIN') pauseBriefly()
      // EBADF: started with the stream closed (`>&-`). EIO: the terminal has been hung up.
      else if (code === 'EPIPE' || code === 'EBADF' || code === 'EIO') return false
      else throw error
    }
  }
  return true
}

function pauseBriefly(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_PAUSE_MS)
}
