/**
 * JSON objects that people write on a command line.
 */
import { clip } from '../../core/text/clip.ts'
import { AgentdError, UsageError } from '../../core/errors.ts'
import { findInexactNumber } from '../../protocol/refusal/json-numbers.ts'
import { MalformedJson, parseJson } from '../../core/text/json.ts'
import { findJsonFault } from './json-fault.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** Characters of a number that are repeated in a sentence. */
const MAX_QUOTED_LENGTH = 40

/**
 * An object that says what its text says: nothing that reading would change is taken.
 *
 * @param what - the beginning of a sentence, such as `The payload`
 * @throws UsageError that says where it stops being JSON, that it is no object, or what of it could not be
 *   sent as it stands: a name that is there twice, a number that would be rounded
 * @throws AgentdError `field-invalid` for more than 64 levels
 */
export function readJsonObject(text: string, what: string): Readonly<Record<string, unknown>> {
  const value = parse(text, what)
  if (!isJsonObject(value)) throw new UsageError(`${what} must be a JSON object.`)
  const number = findInexactNumber(text)
  if (number === undefined) return value
  throw new UsageError(`${what} holds ${quoteNumber(number)}; write it as a string.`)
}

/** The part of a sentence that names a number that `findInexactNumber` has found. */
export function quoteNumber(literal: string): string {
  return `the number ${clip(literal, MAX_QUOTED_LENGTH)}, which cannot be sent without rounding it`
}

function parse(text: string, what: string): unknown {
  try {
    return parseJson(text, 'payload')
  } catch (cause) {
    if (!(cause instanceof MalformedJson)) throw cause
    const message = cause.message.replace(/^The body/, what)
    // Well written, and refused all the same: as the daemon would.
    if (cause.fault === 'depth') throw new AgentdError(cause.code, message, { field: 'payload', cause })
    // Only of broken JSON there is a place to tell.
    const place = cause.fault === 'syntax' ? findJsonFault(text) : undefined
    if (place === undefined) throw new UsageError(message, { cause })
    const { line, column } = place
    throw new UsageError(`${what} stops being JSON at line ${line}, column ${column}.`, { cause })
  }
}
