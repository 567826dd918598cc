/**
 * One spelling for every JSON value, so that two readers hash and sign the same bytes.
 *
 * @see RFC 8785 (JCS); docs/requirements.md §3, AEQ-14, AEQ-22
 */
import { createHash } from 'node:crypto'
import serialise from 'canonicalize'
import { messageOf, isStackOverflow } from '../../core/thrown.ts'
import { AgentdError } from '../../core/errors.ts'

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
  const text = trySerialise(value)
  if (typeof text !== 'string') throw withoutCanonicalForm('it is not JSON')
  return text
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

/** The package throws a plain `Error` for whatever it will not write; whichever it is, the value is at fault. */
function trySerialise(value: unknown): string | undefined {
  try {
    return serialise(value)
  } catch (cause) {
    if (isStackOverflow(cause)) throw withoutCanonicalForm('it is nested too deeply', cause)
    throw withoutCanonicalForm(messageOf(cause), cause)
  }
}

function withoutCanonicalForm(why: string, cause?: unknown): AgentdError {
  return new AgentdError(
    'envelope-malformed',
    `The envelope has no canonical form, so it can be neither hashed nor signed: ${why.replace(/\.$/, '')}.`,
    { field: 'envelope', cause },
  )
}
