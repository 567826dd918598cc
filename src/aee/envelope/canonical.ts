/**
 * One spelling for every JSON value, so that two readers hash and sign the same bytes.
 *
 * @see RFC 8785 (JCS); docs/requirements.md §3, AEQ-14, AEQ-22
 */
import { createHash } from 'node:crypto'
import { AgentdError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject } from '../../core/text/json-object.ts'
import { isStackOverflow } from '../../core/thrown.ts'

/** Texts that stand in JSON as they are, short enough that to look through them costs less than a call does. */
const PLAIN_TEXT = /^[ !#-[\]-~]{0,64}$/

/**
 * A JSON value in canonical form: no white space, member names in the order of their UTF-16 code units, numbers
 * as ECMAScript writes them.
 *
 * What the form cannot tell apart was lost by the parser before: digits beyond the precision of a double, and a
 * name that stood twice, which `decodeEnvelope` refuses (I-JSON, RFC 7493).
 *
 * @throws AgentdError `envelope-malformed`, field `envelope`, for what has no such form: half a surrogate pair, a
 *   number too large for a double (`1e999`), a value that is not JSON
 */
export function canonicalJson(value: unknown): string {
  try {
    return written('', value)
  } catch (cause) {
    if (!isStackOverflow(cause)) throw cause
    throw withoutCanonicalForm('it is nested too deeply', cause)
  }
}

/**
 * What `references[].hash` says of an envelope: the hash of its canonical form with every member it was stored
 * with, `sig` and unknown ones included (AEQ-22).
 *
 * @returns `sha256:` and 64 lower-case hex digits
 * @throws AgentdError as {@link canonicalJson}
 */
export function hashOf(value: unknown): string {
  return `sha256:${sha256Hex(canonicalJson(value))}`
}

/** The SHA-256 of a text's UTF-8 bytes, as 64 lower-case hex digits. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/**
 * A text with a value after it. One text grows along, since to join each level anew would copy what is nested once
 * for every level above it.
 */
function written(text: string, value: unknown): string {
  if (Array.isArray(value)) return `${withValues(`${text}[`, value)}]`
  if (!isJsonObject(value)) return text + scalar(value)
  const { toJSON } = value
  // What a sender made in memory may hold a date, which goes out as its text.
  if (typeof toJSON === 'function') return written(text, toJSON.call(value))
  return `${withMembers(`${text}{`, value)}}`
}

function withValues(opened: string, list: readonly unknown[]): string {
  let text = opened
  for (let i = 0; i < list.length; i += 1) text = written(i === 0 ? text : `${text},`, list[i] ?? null)
  return text
}

function withMembers(opened: string, record: JsonObject): string {
  let text = opened
  const names = Object.keys(record)
  if (names.length > 1) names.sort()
  for (const name of names) {
    const value = record[name]
    if (value === undefined) continue
    const comma = text === opened ? '' : ','
    text = written(`${text}${comma}${quoted(name)}:`, value)
  }
  return text
}

function scalar(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return String(value)
  throw withoutCanonicalForm(typeof value === 'number' ? 'a number is not finite' : 'it is not JSON')
}

function quoted(text: string): string {
  if (PLAIN_TEXT.test(text)) return `"${text}"`
  if (!text.isWellFormed()) throw withoutCanonicalForm('half a surrogate pair stands alone')
  return JSON.stringify(text)
}

function withoutCanonicalForm(why: string, cause?: unknown): AgentdError {
  return new AgentdError(
    'envelope-malformed',
    `The envelope has no canonical form, so it can be neither hashed nor signed: ${why.replace(/\.$/, '')}.`,
    { field: 'envelope', cause },
  )
}
