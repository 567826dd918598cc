/**
 * JSON records from a file or stdin: one to a line, or a single one over many lines.
 */
import { createReadStream } from 'node:fs'
import { UsageError } from '../../core/errors.ts'
import { MAX_ENVELOPE_OCTETS } from '../../core/limits.ts'
import { LineSplitter, type Line } from '../../core/text/lines.ts'
import { describeReadFault } from './read-fault.ts'

/** One record, as it stands there. */
export interface JsonRecord {
  /** One octet over the size of an envelope when the whole was more: no envelope, and the lines behind it may be. */
  readonly bytes: Buffer
  /** Where it stands, counted from 1; undefined for a record over many lines. */
  readonly line: number | undefined
}

/** The name that means stdin. */
export const STDIN_NAME = '-'

/** Names whose files hold a record to each line, whatever their first line looks like. */
const LINES_NAME = /\.(?:ndjson|jsonl)$/

/**
 * The records of a file, or of stdin for `-`, as they are read.
 *
 * When the first line is no JSON by itself, everything is one record as long as it is one, and lines otherwise.
 *
 * @throws UsageError when the file cannot be read
 */
export async function* readRecords(name: string): AsyncGenerator<JsonRecord> {
  const begun: Line[] = []
  let octets = 0
  let isLines = LINES_NAME.test(name)
  for await (const line of readLines(name)) {
    isLines ||= begun.length === 0 && isJson(line.line)
    if (isLines) {
      yield toRecord(line)
      continue
    }
    begun.push(line)
    octets += line.line.length + 1
    if (octets <= MAX_ENVELOPE_OCTETS) continue
    // Too much for one record, so they must be many.
    isLines = true
    yield* begun.splice(0).map(toRecord)
  }
  const whole = Buffer.concat(begun.flatMap(({ line }) => [line, LINE_END]))
  if (begun.length > 1 && isJson(whole)) yield { bytes: whole, line: undefined }
  else yield* begun.map(toRecord)
}

const LINE_END = Buffer.from('\n')

async function* readLines(name: string): AsyncGenerator<Line> {
  const lines = new LineSplitter(MAX_ENVELOPE_OCTETS, 'cut')
  for await (const chunk of chunksOf(name)) yield* lines.feed(chunk)
  const last = lines.end()
  if (last !== undefined) yield last
}

async function* chunksOf(name: string): AsyncGenerator<Buffer> {
  const stream: AsyncIterable<unknown> = name === STDIN_NAME ? process.stdin : createReadStream(name)
  try {
    for await (const chunk of stream) if (Buffer.isBuffer(chunk)) yield chunk
  } catch (cause) {
    const what = name === STDIN_NAME ? 'stdin' : name
    throw new UsageError(`${what} cannot be read: ${describeReadFault(cause)}.`, { cause })
  }
}

function toRecord({ line, number }: Line): JsonRecord {
  return { bytes: line, line: number }
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString())
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}
