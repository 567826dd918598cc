/** What a hook reads and says, without the streams of Node, which cost more to set up than to use. */
import { fstatSync, readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { writeWhole } from '../terminal/write-whole.ts'

const STDIN = 0

/** Runtimes send whole files with their edits, and beyond this they say nothing we need. */
const MAX_PAYLOAD_BYTES = 1_048_576

/** How often a runtime that takes nothing is waited for, five milliseconds each time. */
const MAX_PAUSES = 40

/** Of stdin at a time. */
const CHUNK_BYTES = 65_536

/** @returns what stands on stdin; an empty text for a terminal, for nothing, and for more than a hook reads */
export async function readHookPayload(): Promise<string> {
  const found = fstatSync(STDIN)
  if (found.isFile()) return found.size > MAX_PAYLOAD_BYTES ? '' : readFileSync(STDIN, 'utf8')
  if (!found.isFIFO() && !found.isSocket()) return ''
  const chunks: Buffer[] = []
  let length = 0
  const take = (read: number, buffer: Uint8Array): boolean => {
    length += read
    // Read on to the end all the same: a runtime whose pipe breaks may take it for an error.
    if (length <= MAX_PAYLOAD_BYTES) chunks.push(Buffer.from(buffer.subarray(0, read)))
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
  return length > MAX_PAYLOAD_BYTES ? '' : Buffer.concat(chunks).toString('utf8')
}

/** @returns false when nobody takes it, or not in time */
export function writeAnswer(stream: number, text: string): boolean {
  return writeWhole(stream, text, MAX_PAUSES)
}
