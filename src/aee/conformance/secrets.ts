/**
 * Secrets where none may be: `requires` is read by everybody on the way and written to logs (AEE-089).
 *
 * A guess, by the name of a member and by the form of its value. What is found is named by its path; the
 * value itself goes nowhere.
 */
import { holdsSecret } from '../../core/secrets/redaction.ts'
import { isSecretName } from '../../core/secrets/secret-names.ts'
import { isJsonObject } from '../../core/text/json-object.ts'
import { nameInPath } from '../envelope/fault.ts'

/** Values looked at: a large object must not cost a walk over all of it. */
const MAX_VALUES = 1_000

/** Findings after which nothing further is looked for. */
const MAX_FOUND = 8

/** As much of a value as its form is told by. */
const MAX_LOOKED_AT = 1_024

/**
 * The paths of members that look like secrets, outermost first.
 *
 * @param path - what the value itself is called: `requires`
 */
export function findSecrets(value: unknown, path: string): readonly string[] {
  const found: string[] = []
  const open: (readonly [string, unknown])[] = [[path, value]]
  // Breadth first: the list grows while it is walked, and never past the bound.
  for (const [holderPath, holder] of open) {
    for (const [name, member] of membersOf(holder)) {
      if (open.length > MAX_VALUES || found.length === MAX_FOUND) return found
      const step = typeof name === 'number' ? `[${name}]` : `.${nameInPath(name)}`
      const memberPath = `${holderPath}${step}`
      if (isSecret(name, member)) found.push(memberPath)
      else open.push([memberPath, member])
    }
  }
  return found
}

function membersOf(value: unknown): Iterable<readonly [string | number, unknown]> {
  if (Array.isArray(value)) return value.entries()
  return isJsonObject(value) ? Object.entries(value) : []
}

function isSecret(name: string | number, value: unknown): boolean {
  const isNamed = typeof name === 'string' && isSecretName(name)
  if (typeof value === 'string') {
    const start = value.slice(0, MAX_LOOKED_AT).trimStart()
    return start !== '' && (isNamed || holdsSecret(start))
  }
  // `credentials: {…}`; a number or a boolean, such as of `token`, only says something about a secret.
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0 && isNamed
}
