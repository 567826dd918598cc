/**
 * The vectors of docs/requirements.md §9: one envelope, two keys, and what was computed from them elsewhere.
 */
import { parseEnvelope, type Envelope } from '../../src/aee/envelope/envelope.ts'
import { readKey, type Key } from '../../src/aee/keys/key.ts'
import { vectorAt } from '../support/vectors.ts'

/** E0: the task of draft-cowles-aee-00 §3, text as printed there. */
export const E0_TEXT = String(vectorAt('aee-3-envelope-printed-task').input['text'])

/** E0 with some members changed, and without those that are changed to undefined. */
export function e0(changes: Readonly<Record<string, unknown>> = {}): Envelope {
  const members = { ...Object(JSON.parse(E0_TEXT)), ...changes }
  return parseEnvelope(
    Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined)),
  )
}

export const E0_HASH = '45ca558e9f506ef6d7a06c08e359f56095fa96760338e6cecc9fb4e88491b2d5'

/** The first key of RFC 8032 §7.1. */
export const ED25519_PRIVATE = hexToBase64Url(
  '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
)
export const ED25519_PUBLIC = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'

/** The second key of RFC 8032 §7.1: somebody else's. */
export const OTHER_PUBLIC = hexToBase64Url('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c')

export const HS256_SECRET = Buffer.from('test-key-32-bytes-long-0123456789').toString('base64url')

/** What every key file needs. */
const COMMON = { entities: ['*'], status: 'trusted', created_at: '2025-12-01T00:00:00Z' }

/** The members of a key file that signs with Ed25519. */
export const ED25519_FILE = {
  kid: 'key-2',
  alg: 'ed25519',
  ...COMMON,
  public: ED25519_PUBLIC,
  private: ED25519_PRIVATE,
}

/** The members of a key file of HS256. */
export const HS256_FILE = { kid: 'shared-1', alg: 'HS256', ...COMMON, secret: HS256_SECRET }

/** The Ed25519 key, with some members of its file changed; one that is changed to undefined is left out. */
export function ed25519Key(changes: Readonly<Record<string, unknown>> = {}): Key {
  return readKey(JSON.stringify({ ...ED25519_FILE, ...changes }))
}

/** As {@link ed25519Key}, for HS256. */
export function hs256Key(changes: Readonly<Record<string, unknown>> = {}): Key {
  return readKey(JSON.stringify({ ...HS256_FILE, ...changes }))
}

/** A moment at which these keys hold. */
export const NOW_MS = Date.parse('2025-12-14T03:46:00Z')

function hexToBase64Url(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64url')
}
