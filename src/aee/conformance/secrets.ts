/**
 * Secrets where none may be: `requires` is read by everybody on the way and written to logs (AEE-089).
 *
 * A guess, by the name of a member and by what its value begins with. What is found is named by its path; the
 * value itself goes nowhere.
 */
import { nameInPath } from '../envelope/fault.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** Values looked at: a large object must not cost a walk over all of it. */
const MAX_VALUES = 1_000

/** Findings after which nothing further is looked for. */
const MAX_FOUND = 8

/** A longer name is not a word anybody gives a credential. */
const MAX_NAME_LENGTH = 64

/** As much of a value as its form is told by. */
const MAX_LOOKED_AT = 1_024

/** What the last word of a name has to be, for what it holds to be a secret. */
const SECRET_WORDS = new Set([
  'apikey',
  'authorization',
  'bearer',
  'cookie',
  'credential',
  'credentials',
  'jwt',
  'passphrase',
  'passwd',
  'password',
  'pwd',
  'secret',
  'secrets',
  'token',
])

/** What has to stand before `key`; most other keys, such as a cache's, are harmless. */
const SECRET_KEYS = new Set(['access', 'api', 'auth', 'encryption', 'private', 'secret', 'signing', 'ssh'])

/** Forms by which well-known credentials are recognised, whatever member they stand in. */
const SECRET_FORMS = [
  /^bearer\s+[\w.+/=~-]{16}/i,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /^eyJ[\w-]+\.eyJ[\w-]+\./,
  /^(?:sk|rk)[-_](?:\w|-){20}/,
  /^gh[opsur]_\w{20}/,
  /^github_pat_\w{20}/,
  /^glpat-[\w-]{16}/,
  /^xox[abeoprs]-[\w-]{8}/,
  /^(?:AKIA|ASIA)[A-Z\d]{16}/,
  /^AIza[\w-]{30}/,
  /^npm_\w{30}/,
  // A URL with a password in it.
  /^[a-z][a-z\d+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i,
]

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
  if (typeof value === 'string') {
    const start = value.slice(0, MAX_LOOKED_AT).trimStart()
    return start !== '' && (isSecretName(name) || SECRET_FORMS.some((form) => form.test(start)))
  }
  // `credentials: {…}`; a number or a boolean, such as of `token`, only says something about a secret.
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0 && isSecretName(name)
}

/** Whether the end of a name says secret: `api_key`, `accessToken`; not `token_budget`, not `cache_key`. */
function isSecretName(name: string | number): boolean {
  if (typeof name === 'number' || name.length > MAX_NAME_LENGTH) return false
  const words =
    name
      .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
      .toLowerCase()
      .match(/[a-z\d]+/g) ?? []
  const last = words.at(-1) ?? ''
  return SECRET_WORDS.has(last) || (last === 'key' && SECRET_KEYS.has(words.at(-2) ?? ''))
}
