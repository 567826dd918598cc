/**
 * JSON objects that people write on a command line.
 */
import { AgentdError } from '../../core/errors.ts'
import { findInexactNumber } from '../../protocol/frame/json-numbers.ts'
import { parseJson } from '../../core/text/json.ts'
import { findJsonFault } from './json-fault.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** Characters of a number that are repeated in a sentence. */
const MAX_QUOTED_LENGTH = 40

/**
 * An object that says what its text says: nothing that reading would change is taken.
 *
 * @param what - the beginning of a sentence, such as `The payload`
 * @throws RangeError that says where it stops being JSON, that it is no object, or what of it could not be
 *   sent as it stands: a name that is there twice, nesting without end, a number that would be rounded
 */
export function readJsonObject(text: string, what: string): Readonly<Record<string, unknown>> {
  const value = parse(text, what)
  if (!isJsonObject(value)) throw new RangeError(`${what} must be a JSON object.`)
  const number = findInexactNumber(text)
  if (number === undefined) return value
  throw new RangeError(`${what} holds ${quoteNumber(number)}; write it as a string.`)
}

/** The part of a sentence that names a number that `findInexactNumber` has found. */
export function quoteNumber(literal: string): string {
  const shown = literal.length > MAX_QUOTED_LENGTH ? `${literal.slice(0, MAX_QUOTED_LENGTH)}…` : literal
  return `the number ${shown}, which cannot be sent without rounding it`
}

function parse(text: string, what: string): unknown {
  try {
    return parseJson(text, 'payload')
  } catch (cause) {
    if (!(cause instanceof AgentdError)) throw cause
    // Only of broken JSON there is a place to tell.
    const place = cause.cause instanceof SyntaxError ? findJsonFault(text) : undefined
    if (place === undefined) throw new RangeError(cause.message.replace(/^The body/, what), { cause })
    const { line, column } = place
    throw new RangeError(`${what} stops being JSON at line ${line}, column ${column}.`, { cause })
  }
}
