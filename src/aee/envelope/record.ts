/**
 * One JSON object as it comes from outside: bytes or text, within the bounds of AEQ-24.
 *
 * What came is kept as text beside the value, since unknown members survive byte for byte (AEE-C02) and a
 * signature was made over what was sent, not over what somebody made of it.
 */
import { AgentdError } from '../../core/errors.ts'
import { decodeText, parseJson } from '../../core/text/json.ts'
import { MAX_ENVELOPE_OCTETS } from '../../core/limits.ts'
import { octetLength } from '../../core/text/octets.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** The members of a JSON object. Read them with {@link readMember}: a name may be `__proto__`. */
export type RecordMembers = Readonly<Record<string, unknown>>

/** An object, and the one line of text it came as. */
export interface DecodedRecord {
  readonly record: RecordMembers
  readonly text: string
}

/** What an error about the whole names (ACQ-39). */
const WHOLE = 'envelope'

/**
 * Reads one JSON object of at most `MAX_ENVELOPE_OCTETS`.
 *
 * @throws AgentdError `envelope-too-large`; `envelope-malformed` for broken UTF-8, a byte order mark, broken
 *   JSON, more than 64 levels, a name twice, or anything but an object; field `envelope`
 */
export function decodeRecord(bytes: Uint8Array): DecodedRecord {
  if (bytes.byteLength > MAX_ENVELOPE_OCTETS) throw envelopeTooLarge()
  return readRecord(decodeText(bytes, WHOLE, 'envelope-malformed'))
}

/** As {@link decodeRecord}, from text; text that no bytes can be is malformed. */
export function decodeRecordText(text: string): DecodedRecord {
  // A code unit is one to three octets, so most texts are judged before they are measured.
  if (text.length * 3 > MAX_ENVELOPE_OCTETS && octetLength(text) > MAX_ENVELOPE_OCTETS)
    throw envelopeTooLarge()
  if (!text.isWellFormed()) throw malformed('is not well-formed Unicode')
  return readRecord(text)
}

/** @throws AgentdError `envelope-malformed`, field `envelope`, for anything but a JSON object */
export function requireRecord(value: unknown): RecordMembers {
  if (!isJsonObject(value)) throw malformed('is not a JSON object')
  return value
}

/** An object's own member; undefined is absent. What a prototype has is not a member (AEQ-24). */
export function readMember(record: RecordMembers, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

function readRecord(text: string): DecodedRecord {
  const record = requireRecord(parseJson(text, WHOLE, 'envelope-malformed'))
  return { record, text: toOneLine(text) }
}

/** JSON has line breaks only between tokens, so a space in place of each changes no value. */
function toOneLine(text: string): string {
  const hasBreak = text.includes('\n') || text.includes('\r')
  return (hasBreak ? text.replaceAll(/[\r\n]/g, ' ') : text).trim()
}

function malformed(fault: string): AgentdError {
  return new AgentdError('envelope-malformed', `The body ${fault}.`, { field: WHOLE })
}

/** The refusal of what is over the bound. */
export function envelopeTooLarge(): AgentdError {
  return new AgentdError(
    'envelope-too-large',
    `An envelope is at most ${MAX_ENVELOPE_OCTETS} octets of JSON; send a reference to what is larger.`,
    { field: WHOLE },
  )
}
