/**
 * Whether a name says that a secret stands behind it: `api_key`, `accessToken`; not `token_budget`, not `cache_key`.
 *
 * @see AEE-089, AC-186
 */

/** A longer name is not a word anybody gives a credential. */
const MAX_NAME_LENGTH = 64

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

/** Whether the end of a name says secret, in whatever case it is written. */
export function isSecretName(name: string): boolean {
  if (name.length > MAX_NAME_LENGTH) return false
  const words =
    name
      .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
      .toLowerCase()
      .match(/[a-z\d]+/g) ?? []
  const last = words.at(-1) ?? ''
  return SECRET_WORDS.has(last) || (last === 'key' && SECRET_KEYS.has(words.at(-2) ?? ''))
}
