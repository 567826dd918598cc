/**
 * JSON objects that people write on a command line.
 */
import { findJsonFault } from './json-fault.ts'

/**
 * @param what - the beginning of a sentence, such as `The payload`
 * @throws RangeError that says where it stops being JSON, or that it is no object
 */
export function readJsonObject(text: string, what: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    const { line, column } = findJsonFault(text) ?? { line: 1, column: 1 }
    throw new RangeError(`${what} stops being JSON at line ${line}, column ${column}.`, { cause })
  }
  if (isObject(value)) return value
  throw new RangeError(`${what} must be a JSON object.`)
}

/** Whether a parsed value is an object, and neither null nor an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
