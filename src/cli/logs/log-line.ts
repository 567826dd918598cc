/**
 * A line of the daemon's log, as people read it. Whatever stands in it is somebody's text by now.
 *
 * `host/process/log-sink.ts` writes it.
 *
 * @see docs/operations.md
 */
import { isJsonObject, memberOf, textMember, tryParseJson } from '../../core/text/json-object.ts'
import { readTimestampMs } from '../../core/text/timestamp.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import type { Palette } from '../../core/display/palette.ts'
import { MAX_LOG_LINE_BYTES } from './log-file.ts'

/** What a line is made of. */
export interface LogLine {
  /** Of one that the daemon did not write as an object, such as the words of a crash. */
  readonly text: string
  /** Its members behind the heads; undefined where it is no object of the log's form. */
  readonly fields: Readonly<Record<string, unknown>> | undefined
  readonly ts: string | undefined
  readonly level: string | undefined
  readonly event: string | undefined
}

/** What marks a line that was cut. */
const CUT = ' …'

const HEADS = new Set(['ts', 'level', 'event'])

/** @param octets - one line; one over the bound is cut, and no object any more */
export function readLogLine(octets: Buffer): LogLine {
  const isCut = octets.length > MAX_LOG_LINE_BYTES
  const text = octets.subarray(0, MAX_LOG_LINE_BYTES).toString('utf8') + (isCut ? CUT : '')
  const value = tryParseJson(text)
  const [ts, level, event] = isJsonObject(value)
    ? ['ts', 'level', 'event'].map((name) => textMember(value, name))
    : []
  if (!isJsonObject(value) || event === undefined)
    return { text, fields: undefined, ts: undefined, level: undefined, event: undefined }
  const fields = Object.fromEntries(Object.entries(value).filter(([name]) => !HEADS.has(name)))
  return { text, fields, ts, level, event }
}

/** When it was written, in milliseconds since 1970; undefined where it does not say. */
export function logTimeMs({ ts }: LogLine): number | undefined {
  return ts === undefined ? undefined : readTimestampMs(ts)
}

/** One line for a person. */
export function formatLogLine(line: LogLine, paint: Palette): string {
  const { text, fields, ts = '', level = '', event = '' } = line
  if (fields === undefined) return safeLine(text)
  const paints = new Map([
    ['warn', paint.yellow],
    ['error', paint.red],
  ])
  const told = Object.keys(fields).map((name) => `${safeLine(name)}=${formatField(memberOf(fields, name))}`)
  const shown = (paints.get(level) ?? ((word: string) => word))(safeLine(level).padEnd(LEVEL_COLUMNS))
  return [paint.dim(safeLine(ts)), shown, paint.bold(safeLine(event)), ...told].join(' ')
}

/** The longest level there is. */
const LEVEL_COLUMNS = 5

/** In quotes where it could be taken for several. */
function formatField(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return safeLine(/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text))
}
