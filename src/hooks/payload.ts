/** A payload as its runtime sent it. */
import { AgentdError } from '../core/errors.ts'
import { isJsonObject } from '../core/text/json-object.ts'
import { hasTooManyParts, readJsonShape } from '../core/text/json-shape.ts'
import type { EventMembers } from '../runtimes/events/members.ts'

const DECODER = new TextDecoder()

/**
 * Its runtime's own JSON is taken as `JSON.parse` takes it, but for its number of parts: a mebibyte of nested arrays would
 * hold everybody up (R-51, HD-10).
 *
 * @returns undefined for JSON that is no object, and for what has too many parts, which is not read
 * @throws AgentdError `field-invalid` for what is no JSON
 */
export function parsePayload(payload: Uint8Array): EventMembers | undefined {
  const text = DECODER.decode(payload)
  if (hasTooManyParts(readJsonShape(text))) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    throw new AgentdError('field-invalid', 'The body is no JSON.', { field: 'body' })
  }
}
