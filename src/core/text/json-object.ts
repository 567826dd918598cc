/**
 * Telling objects that came out of a parser. Some parsers' have no prototype, so `instanceof` does not know them.
 */

/** A JSON object: neither null nor a list. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
