/**
 * Texts of the link, read by rules for their members. Members without a rule are passed over, so that a node of a later
 * version is understood (FED-17); a member that has one is what it says, or the text is refused.
 *
 * No schema library: the bridge reads these texts too, and is small.
 */
import { invalidField, missingField } from '../../aee/envelope/fault.ts'
import type { MemberRule } from '../../aee/envelope/member-rule.ts'
import { readMember, type RecordMembers } from '../../aee/envelope/record.ts'
import { isJsonObject } from '../../core/text/json-object.ts'
import { parseJson } from '../../core/text/json.ts'
import { withinOctets } from '../../core/text/octets.ts'

/** Member → what it must be. */
export type MemberRules = Readonly<Record<string, MemberRule>>

const NONE: ReadonlySet<string> = new Set()

/**
 * One JSON object of at most so many octets.
 *
 * @param noun - what an error names: `head`
 * @throws AgentdError `field-invalid`
 */
export function readObject(text: string, noun: string, maxOctets: number): RecordMembers {
  requireText(text, noun, maxOctets)
  const value = parseJson(text, noun)
  if (!isJsonObject(value)) throw invalidField(noun, 'must be a JSON object')
  return value
}

/** @throws AgentdError `field-invalid` for a text that is too long, or that UTF-8 cannot carry */
export function requireText(text: string, noun: string, maxOctets: number): void {
  if (!withinOctets(text, 0, maxOctets)) throw invalidField(noun, `must be at most ${maxOctets} octets`)
  if (!text.isWellFormed()) throw invalidField(noun, 'must be well-formed Unicode')
}

/**
 * Checks what has a rule.
 *
 * @param optional - members that may be absent
 * @throws AgentdError `field-missing` or `field-invalid`, field the member
 */
export function requireMembers(
  record: RecordMembers,
  rules: MemberRules,
  optional: ReadonlySet<string> = NONE,
): void {
  for (const [name, rule] of Object.entries(rules)) {
    const value = readMember(record, name)
    if (value === undefined && optional.has(name)) continue
    if (value === undefined) throw missingField(name)
    const fault = rule(value)
    if (fault !== undefined) throw invalidField(name, fault)
  }
}
