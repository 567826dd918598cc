/**
 * Telling objects that came out of a parser.
 */

/** The editors' objects have no prototype, so `instanceof` does not know them. Lists are not meant. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
