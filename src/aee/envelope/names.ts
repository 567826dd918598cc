/**
 * The members of an envelope that serve as names: they become keys of the store, paths, and members of replies.
 *
 * JSON can spell half of a surrogate pair, and UTF-8 cannot carry it: written anywhere, two such names would
 * become one. So names have to be well-formed, though the schema does not say so; other strings need not be, and
 * stay the escapes they came as.
 */
import { invalidField } from './fault.ts'
import { readMember, type RecordMembers } from './record.ts'

/** The names of an envelope, in table order. */
export const NAMES: readonly string[] = ['id', 'from', 'to', 'intent', 'corr', 'reply_to']

/** The end of a sentence about a name that is not. */
export const NAME_RULE = 'must be well-formed Unicode'

/** The names that no bytes can be; what is no string has other faults. */
export function illFormedNames(record: RecordMembers, names: readonly string[]): readonly string[] {
  return names.filter((field) => {
    const name = readMember(record, field)
    return typeof name === 'string' && !name.isWellFormed()
  })
}

/** @throws AgentdError `field-invalid` for the first name that no bytes can be */
export function requireNames(record: RecordMembers, names: readonly string[]): void {
  const [field] = illFormedNames(record, names)
  if (field !== undefined) throw invalidField(field, NAME_RULE)
}
