/**
 * JSON of somebody else's, where anything may come: whether a text is any, whether what came out of a parser is an object,
 * and its members, each of which may be missing or something else. Some parsers' objects have no prototype, so
 * `instanceof` does not know them.
 */

/** A JSON object: neither null nor a list. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const NOTHING: JsonObject = Object.freeze({})

/** The object, or an empty one. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : NOTHING
}

/** The member as text; undefined when it is absent, empty or something else. */
export function textMember(value: JsonObject, name: string): string | undefined {
  const found = memberOf(value, name)
  return typeof found === 'string' && found !== '' ? found : undefined
}

/** The first of several spellings that holds text. */
export function firstTextOf(value: JsonObject, names: readonly string[]): string | undefined {
  for (const name of names) {
    const found = textMember(value, name)
    if (found !== undefined) return found
  }
  return undefined
}

/** The member as a finite number; undefined when it is anything else. */
export function numberOf(value: JsonObject, name: string): number | undefined {
  const found = memberOf(value, name)
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined
}

/** The member as a list; an empty one when it is none. */
export function listMember(value: JsonObject, name: string): readonly unknown[] {
  const found = memberOf(value, name)
  return Array.isArray(found) ? found : []
}

/** The texts in a member that is a list, empty ones left out. */
export function textsOf(value: JsonObject, name: string): readonly string[] {
  return listMember(value, name).flatMap((entry) =>
    typeof entry === 'string' && entry !== '' ? [entry] : [],
  )
}

/** An own member; `__proto__` and its kin are members like any other, or none. */
export function memberOf(value: JsonObject, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined
}

/** @returns undefined for text that is no JSON object */
export function parseMembers(text: string): JsonObject | undefined {
  const value = tryParseJson(text)
  return isJsonObject(value) ? value : undefined
}

/** What a text says as JSON; undefined for what is none, and how it is none is nobody's concern. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
