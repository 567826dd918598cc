/**
 * The published schemas as a program of somebody else's has them: strict JSON Schema (draft 2020-12), compiled by ajv.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { ENVELOPE_SCHEMA_NAMES, findEnvelopeSchema } from '../../src/aee/schemas/published.ts'
import { SCHEMA_NAMES, findJsonSchema } from '../../src/protocol/published/schemas.ts'
import type { JsonSchema } from '../../src/protocol/published/json-schema.ts'

/** Every name that is published. */
export const PUBLISHED_NAMES: readonly string[] = [...SCHEMA_NAMES, ...ENVELOPE_SCHEMA_NAMES]

/** @throws Error for a name that is not published */
export function publishedSchema(name: string): JsonSchema {
  const schema = findJsonSchema(name) ?? findEnvelopeSchema(name)
  if (schema === undefined) throw new Error(`no schema "${name}"`)
  return schema
}

/** Strict about everything save the two notes of ours; what a format asserts is left to who wants it (2020-12). */
export function strictAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    ownProperties: true,
    validateFormats: false,
  })
  ajv.addVocabulary(['x-min-octets', 'x-max-octets'])
  return ajv
}

const ajv = strictAjv()
const compiled = new Map<string, ValidateFunction>()

/** Whether a value satisfies a published schema. */
export function satisfies(name: string, value: unknown): boolean {
  const known = compiled.get(name) ?? ajv.compile(publishedSchema(name))
  compiled.set(name, known)
  return known(value)
}
