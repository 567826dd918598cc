/**
 * JSON of somebody else's, where anything may come: whether a text is any, and whether what came out of a parser is an
 * object. Some parsers' have no prototype, so `instanceof` does not know them.
 */

/** A JSON object: neither null nor a list. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a text says as JSON; undefined for what is none, and how it is none is nobody's concern. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
