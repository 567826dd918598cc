/**
 * Reading members of a payload that its schema has admitted.
 */
import { AgentdError } from '../../core/errors.ts'
import { readMember } from '../envelope/record.ts'
import type { RecordMembers } from '../envelope/record.ts'

/** A member that is text; undefined when it is absent or something else. */
export function readTextMember(payload: RecordMembers, name: string): string | undefined {
  const value = readMember(payload, name)
  return typeof value === 'string' ? value : undefined
}

/**
 * A member that the schema makes mandatory.
 *
 * @throws AgentdError `payload-invalid`: nobody held the payload against its schema
 */
export function requireText(payload: RecordMembers, name: string): string {
  const text = readTextMember(payload, name)
  if (text !== undefined) return text
  const field = `payload.${name}`
  throw new AgentdError('payload-invalid', `"${field}" must be a string.`, { field })
}
