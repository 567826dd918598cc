/**
 * JSON as it is met here: values of no known shape, looked into with care.
 */

/** Any object of JSON; its members may be anything. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value is an object of JSON, which an array is not. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A member that has to be a string. @throws TypeError when it is none */
export function requireText(object: JsonObject, name: string): string {
  const value = object[name]
  if (typeof value === 'string') return value
  throw new TypeError(`"${name}" must be a string, not ${JSON.stringify(value)}`)
}

/** A member that has to be a list; an absent one is empty. @throws TypeError when it is something else */
export function readList(object: JsonObject, name: string): readonly unknown[] {
  const value = object[name] ?? []
  if (Array.isArray(value)) return value
  throw new TypeError(`"${name}" must be a list, not ${JSON.stringify(value)}`)
}

/** The objects of a list. @throws TypeError when one of its items is none */
export function readObjects(object: JsonObject, name: string): readonly JsonObject[] {
  return readList(object, name).map((item) => {
    if (isJsonObject(item)) return item
    throw new TypeError(`"${name}" must hold objects, not ${JSON.stringify(item)}`)
  })
}

/** The strings of a list. @throws TypeError when one of its items is none */
export function readTexts(object: JsonObject, name: string): readonly string[] {
  return readList(object, name).map((item) => {
    if (typeof item === 'string') return item
    throw new TypeError(`"${name}" must hold strings, not ${JSON.stringify(item)}`)
  })
}

/** An object read from text. @throws SyntaxError when it is no JSON, TypeError when it is no object */
export function parseObject(text: string): JsonObject {
  const value: unknown = JSON.parse(text)
  if (isJsonObject(value)) return value
  throw new TypeError(`${text.slice(0, 80)} is no object of JSON`)
}

/** Whether two values of JSON are the same, whatever the order of their members. */
export function isEqualJson(left: unknown, right: unknown): boolean {
  return sorted(left) === sorted(right)
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isJsonObject(inner) ? Object.fromEntries(Object.entries(inner).toSorted(byName)) : inner,
  )
}

function byName([left]: [string, unknown], [right]: [string, unknown]): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
