/** A payload as its runtime sent it. */
import { AgentdError } from '../core/errors.ts'
import { isJsonObject } from '../core/text/json-object.ts'
import type { EventMembers } from '../runtimes/events/members.ts'

const DECODER = new TextDecoder()

/** @returns undefined for JSON that is no object @throws AgentdError `field-invalid` for what is no JSON */
export function parsePayload(payload: Uint8Array): EventMembers | undefined {
  try {
    const value: unknown = JSON.parse(DECODER.decode(payload))
    return isJsonObject(value) ? value : undefined
  } catch {
    throw new AgentdError('field-invalid', 'The body is no JSON.', { field: 'body' })
  }
}
