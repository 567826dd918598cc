/**
 * What the schema of a payload is: one JSON Schema (draft 2020-12) for each intent and each of three kinds of
 * message.
 *
 * @see draft-cowles-aee-00 §9.3, AEE-067
 */

/** A JSON Schema document. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The dialect that every schema here is written in. */
export const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

/** What an intent has a schema for, in the order in which a payload of no stated kind is judged. */
export const PAYLOAD_VARIANTS = ['task', 'result', 'error'] as const
export type PayloadVariant = (typeof PAYLOAD_VARIANTS)[number]

/** What one intent asks with and is answered with; its errors look like everyone's. */
export interface IntentSchemas {
  readonly task: JsonSchema
  readonly result: JsonSchema
}

/**
 * Makes an object schema a document that can be published on its own.
 *
 * @param name - `<intent>.<variant>`, as in the file names of AEE-067
 */
export function payloadSchema(name: string, title: string, body: JsonSchema): JsonSchema {
  return { $schema: DIALECT, $id: `urn:agentd:schema:${name}`, title, type: 'object', ...body }
}

/**
 * The task payload of an intent that asks for nothing in particular: closed and empty (AEE-C04).
 */
export function emptyTask(intent: string, title: string): JsonSchema {
  return payloadSchema(`${intent}.task`, title, { additionalProperties: false })
}

/** References to earlier envelopes, which any open payload may carry; their shape is advised on elsewhere (AEE-069). */
export const REFERENCES: JsonSchema = {
  type: ['array', 'null'],
  description: 'Earlier envelopes this one builds on, each with its id and type.',
}
