/**
 * JSON Schemas of what the command line itself prints, written by hand: nothing reads by them but who reads JSON Schema.
 *
 * They say what is there for certain; members that are not named may come (docs/json.md).
 */

/** A JSON Schema (draft 2020-12), or a part of one. */
export type Schema = Readonly<Record<string, unknown>>

export const TEXT: Schema = { type: 'string' }
export const COUNT: Schema = { type: 'integer', minimum: 0 }
export const YES_OR_NO: Schema = { type: 'boolean' }
/** Something of others, or of a schema of its own. */
export const OBJECT: Schema = { type: 'object' }

export function listOf(items: Schema): Schema {
  return { type: 'array', items }
}

export function oneOf(...values: readonly string[]): Schema {
  return { type: 'string', enum: values }
}

export function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] }
}

/** An object; a member whose name ends with `?` may be absent. */
export function shape(members: Readonly<Record<string, Schema>>): Schema {
  const named = Object.entries(members).map(([name, schema]) => [name.replace(/\?$/, ''), schema] as const)
  return {
    type: 'object',
    properties: Object.fromEntries(named),
    required: Object.keys(members).filter((name) => !name.endsWith('?')),
  }
}
