/** Octets in and out of a short way, without the streams of Node, which cost more to set up than to use. */
import { fstatSync, readFileSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { systemErrorCode } from '../../core/thrown.ts'

const STDIN = 0

/** A full pipe that somebody made non-blocking is tried again this often, so long apart. */
const WRITE_TRIES = 40
const WRITE_PAUSE_MS = 5

/** Of stdin at a time. */
const CHUNK_BYTES = 65_536

/** @returns what there is; an empty text for a terminal, for nothing, and for more than a hook reads */
export async function readStdin(maxBytes: number): Promise<string> {
  const found = fstatSync(STDIN)
  if (found.isFile()) return found.size > maxBytes ? '' : readFileSync(STDIN, 'utf8')
  if (!found.isFIFO() && !found.isSocket()) return ''
  const chunks: Buffer[] = []
  let length = 0
  const take = (read: number, buffer: Uint8Array): boolean => {
    length += read
    // Read on to the end all the same: a runtime whose pipe breaks may take it for an error.
    if (length <= maxBytes) chunks.push(Buffer.from(buffer.subarray(0, read)))
    return true
  }
  // Not `process.stdin`, which costs more to set up than to read, and not `fs.read`, which would hold up the end
  // of the process when nobody ends the input.
  await new Promise<void>((resolve) => {
    const onread = { buffer: Buffer.allocUnsafe(CHUNK_BYTES), callback: take }
    // Taken by the constructor, though the types know of it only for `connect`.
    const options = { fd: STDIN, readable: true, writable: false, onread }
    const input = new Socket(options)
    input.resume()
    input.once('error', () => resolve())
    input.once('end', () => resolve())
    input.once('close', () => resolve())
  })
  return length > maxBytes ? '' : Buffer.concat(chunks).toString('utf8')
}

/** @returns false when the reader has gone, or takes nothing any more */
export function writeWhole(stream: number, text: string): boolean {
  let rest = Buffer.from(text)
  for (let tries = 0; rest.length > 0 && tries < WRITE_TRIES;) {
    try {
      rest = rest.subarray(writeSync(stream, rest))
    } catch (error) {
      if (systemErrorCode(error) !== 'EAGAIN') return false
      tries += 1
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WRITE_PAUSE_MS)
    }
  }
  return rest.length === 0
}
