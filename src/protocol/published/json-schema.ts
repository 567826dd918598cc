/**
 * What the daemon reads and answers, as JSON Schema (draft 2020-12).
 *
 * A document is complete in itself: what has a name of its own stands under `$defs` wherever it is part of something else,
 * so that nothing has to be fetched, whether a document came over the wire or from a file. Only the document of a name has
 * the `$id`, for no two schemas may have the same.
 *
 * @see docs/http.md §10; PD-15
 */
import * as z from 'zod'
import { GRAMMARS, SAYS, WRITTEN_AS } from './said-by-hand.ts'

/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** What a reference to a name begins with. */
export const DEFS = '#/$defs/'

const names = z.registry<{ id: string }>()
const named = new Map<string, z.ZodType>()

/** Gives a schema the name that it is referred to by; one has one name. */
export function nameSchema(schema: z.ZodType, name: string): void {
  names.add(schema, { id: name })
  named.set(name, schema)
}

/** The name that a schema is referred to by; undefined for one that is published nowhere on its own. */
export function nameOf(schema: z.ZodType): string | undefined {
  return names.get(schema)?.id
}

/** A schema as it is on the wire, before defaults are filled in; its parts that have names stand under `$defs`. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, $defs, ...own } = writeSchema(schema)
  const parts = new Map<string, unknown>(Object.entries($defs ?? {}))
  const name = nameOf(schema) ?? ''
  // What has a name is a part of itself to zod.
  const whole: JsonSchema = { ...(parts.has(name) ? Object(parts.get(name)) : own) }
  parts.delete(name)
  addMissing(parts, whole)
  return { ...whole, ...(parts.size > 0 && { $defs: Object.fromEntries(parts) }) }
}

/** Adds what only {@link SAYS} and {@link WRITTEN_AS} refer to. */
function addMissing(parts: Map<string, unknown>, whole: JsonSchema): void {
  for (const name of [whole, ...parts.values()].flatMap(namesIn)) {
    if (parts.has(name)) continue
    const schema = named.get(name)
    const { $defs, ...part }: JsonSchema = schema === undefined ? { ...GRAMMARS[name] } : toJsonSchema(schema)
    for (const [inner, said] of Object.entries({ ...Object($defs), [name]: part })) parts.set(inner, said)
  }
}

/** The names that a schema refers to. */
function namesIn(schema: unknown): readonly string[] {
  const found = JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)
  return [...found].map(([, name = '']) => name)
}

function writeSchema(schema: z.core.$ZodType) {
  return z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
    metadata: names,
    override: ({ zodSchema, jsonSchema }) => say(zodSchema, jsonSchema),
  })
}

/** Adds what zod cannot know: what a schema has been given to say, and what stands in {@link SAYS}. */
function say(schema: z.core.$ZodType, json: Record<string, unknown>): void {
  const grammar = WRITTEN_AS.get(schema)
  if (grammar !== undefined) {
    for (const keyword of Object.keys(json)) delete json[keyword]
    json['$ref'] = `${DEFS}${grammar}`
    return
  }
  readAs(schema, json)
  const { id: _, ...meta } = z.globalRegistry.get(schema) ?? {}
  Object.assign(json, meta, SAYS.get(schema)?.(json))
}

/** A query's text is said to be what is read in it, a number or a list; OpenAPI has its own words for how that is written. */
function readAs(schema: z.core.$ZodType, json: Record<string, unknown>): void {
  if (!(schema instanceof z.ZodPipe) || schema.out instanceof z.ZodTransform) return
  const { $schema: _, '~standard': __, ...read }: JsonSchema = { ...writeSchema(schema.out) }
  delete json['pattern']
  Object.assign(json, read)
}
