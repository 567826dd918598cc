/**
 * Making a key, and taking the trust from one.
 *
 * @see docs/requirements.md §3, AEE-086
 */
import { randomBytes } from 'node:crypto'
import { formatKeyFields, readKeyFields } from './fields.ts'
import type { Algorithm, KeyFields } from './fields.ts'
import { createSeed, keyOfSeed, publicXOf } from './seed.ts'

/** What a new key is to be. */
export interface NewKeyOptions {
  readonly alg: Algorithm
  /** As `entities` of {@link KeyFields}. */
  readonly entities: readonly string[]
  /** Wall time in milliseconds since 1970: when the key is made. */
  readonly nowMs: number
  /** Its id; otherwise the day and eight random hex digits. */
  readonly kid?: string | undefined
  /** The first and the last moment at which it holds, in milliseconds since 1970. */
  readonly notBefore?: number | undefined
  readonly notAfter?: number | undefined
}

/** A key that exists in no file yet. */
export interface NewKey {
  readonly kid: string
  /** The key file, secrets included: write it where only its owner reads. */
  readonly text: string
}

/** Bytes of a secret made here; twice what is asked for, as long as a block of SHA-256. */
const SECRET_BYTES = 64

/** Makes a key that signs. @throws AgentdError `field-invalid` for options that no key file may hold */
export function createKey({ alg, entities, nowMs, kid, notBefore, notAfter }: NewKeyOptions): NewKey {
  const createdAt = new Date(nowMs).toISOString()
  const fields: KeyFields = {
    kid: kid ?? `${createdAt.slice(0, 10)}-${randomBytes(4).toString('hex')}`,
    alg,
    entities,
    status: 'trusted',
    created_at: createdAt,
    ...(notBefore !== undefined && { not_before: new Date(notBefore).toISOString() }),
    ...(notAfter !== undefined && { not_after: new Date(notAfter).toISOString() }),
    ...createMaterial(alg),
  }
  const text = formatKeyFields(fields)
  readKeyFields(text)
  return { kid: fields.kid, text }
}

/**
 * The same key file, without the trust; whatever else it holds stays.
 *
 * @throws AgentdError `field-invalid` when it is no key file
 */
export function revokeKey(text: string): string {
  return formatKeyFields({ ...readKeyFields(text), status: 'revoked' })
}

function createMaterial(alg: Algorithm): Pick<KeyFields, 'public' | 'private' | 'secret'> {
  if (alg === 'HS256') return { secret: randomBytes(SECRET_BYTES).toString('base64url') }
  const seed = createSeed()
  return { public: publicXOf(keyOfSeed('Ed25519', seed)), private: seed.toString('base64url') }
}
