/**
 * Reading members of a payload that its schema has admitted.
 */
import { AgentdError } from '../../core/errors.ts'
import { readMember } from '../envelope/record.ts'
import type { Members } from '../envelope/record.ts'

/** A member that is text; undefined when it is absent or something else. */
export function readText(payload: Members, name: string): string | undefined {
  const value = readMember(payload, name)
  return typeof value === 'string' ? value : undefined
}

/**
 * A member that the schema makes mandatory.
 *
 * @throws AgentdError `payload-invalid`: nobody held the payload against its schema
 */
export function requireText(payload: Members, name: string): string {
  const text = readText(payload, name)
  if (text !== undefined) return text
  const field = `payload.${name}`
  throw new AgentdError('payload-invalid', `"${field}" must be a string.`, { field })
}
