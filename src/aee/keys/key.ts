/**
 * A key that somebody trusts: what it is called, whose envelopes it may sign, and when.
 *
 * The algorithm belongs to the key and is never taken from a signature. What is secret can be used and cannot be
 * read: it stands in no property, no JSON and no inspection.
 *
 * @see docs/requirements.md §3, AEE-044…AEE-051, AEE-086
 */
import { createHmac, createSecretKey, sign, timingSafeEqual, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { UsageError } from '../../core/errors.ts'
import { readTimestampMs } from '../../core/text/timestamp.ts'
import { invalidField } from '../envelope/fault.ts'
import { readKeyFields, scopeCovers } from './fields.ts'
import { publicKeyOf } from './public-key.ts'
import { keyOfSeed, publicXOf } from './seed.ts'
import type { Algorithm, KeyFields, KeyStatus } from './fields.ts'

/** How a key stands at some moment. */
export type KeyState = 'trusted' | 'revoked' | 'not yet valid' | 'expired'

/** Bytes a signature of each algorithm has, neither more nor fewer. */
const SIGNATURE_BYTES: Readonly<Record<Algorithm, number>> = { ed25519: 64, HS256: 32 }

/** Where a verifier looks keys up. */
export interface KeyRing {
  /** The key of an id; undefined where there is none. */
  find(kid: string): Key | undefined
}

/** One key; made by {@link readKey}. */
export class Key {
  /** Names the key in signatures. */
  readonly kid: string
  /** What it signs with. */
  readonly alg: Algorithm
  /** Exact names, `agent.*` for all that begin with `agent.`, or `*`. */
  readonly entities: readonly string[]
  /** What its file says; whether it holds at some moment is {@link Key.stateAt}. */
  readonly status: KeyStatus
  /** RFC 3339, as written. */
  readonly createdAt: string
  /** The first moment at which it holds, in milliseconds since 1970; undefined: no bound. */
  readonly notBefore: number | undefined
  /** The last moment at which it holds, as above. */
  readonly notAfter: number | undefined
  /** Whether it can make signatures, and not only check them. */
  readonly canSign: boolean
  readonly #fields: KeyFields
  /** Makes signatures; for HS256 it checks them too. */
  readonly #signing: KeyObject | undefined
  /** Checks signatures of ed25519. */
  readonly #checking: KeyObject | undefined

  constructor(fields: KeyFields) {
    this.kid = fields.kid
    this.alg = fields.alg
    this.entities = fields.entities
    this.status = fields.status
    this.createdAt = fields.created_at
    this.notBefore = readTimestampMs(fields.not_before ?? '')
    this.notAfter = readTimestampMs(fields.not_after ?? '')
    this.#fields = fields
    this.#signing = signingKey(fields)
    this.#checking = fields.public === undefined ? undefined : publicKeyOf(fields.public)
    this.canSign = this.#signing !== undefined
  }

  /** Bytes a signature by this key has. */
  get signatureBytes(): number {
    return SIGNATURE_BYTES[this.alg]
  }

  /** Whether it may sign what comes from an entity. */
  covers(entity: string): boolean {
    return this.entities.some((scope) => scopeCovers(scope, entity))
  }

  /** @param nowMs - wall time; both bounds belong to the time in which the key holds */
  stateAt(nowMs: number): KeyState {
    if (this.status === 'revoked') return 'revoked'
    if (this.notBefore !== undefined && nowMs < this.notBefore) return 'not yet valid'
    return this.notAfter !== undefined && nowMs > this.notAfter ? 'expired' : 'trusted'
  }

  /** @throws UsageError when this key can only check signatures */
  sign(bytes: Uint8Array): Buffer {
    if (this.#signing === undefined)
      throw new UsageError(`The key "${this.kid}" has no private part, so it cannot sign.`)
    return this.alg === 'HS256' ? codeOf(bytes, this.#signing) : sign(null, bytes, this.#signing)
  }

  /** Whether it made a signature over these bytes. Of a code of HS256 no timing tells how much of it was right. */
  verify(bytes: Uint8Array, signature: Uint8Array): boolean {
    if (signature.length !== this.signatureBytes) return false
    if (this.#checking !== undefined) return verify(null, bytes, this.#checking, signature)
    return this.#signing !== undefined && timingSafeEqual(codeOf(bytes, this.#signing), signature)
  }

  /** What may be handed over: all but the private part; undefined for HS256, which has no other part. */
  publicFields(): KeyFields | undefined {
    if (this.alg === 'HS256') return undefined
    const { private: _, ...rest } = this.#fields
    return rest
  }
}

/**
 * Reads a key file, see {@link KeyFields}.
 *
 * @throws AgentdError `field-invalid`; `field` is the member, or `key` for the file as a whole
 */
export function readKey(text: string): Key {
  return new Key(readKeyFields(text))
}

function signingKey(fields: KeyFields): KeyObject | undefined {
  if (fields.secret !== undefined) return createSecretKey(Buffer.from(fields.secret, 'base64url'))
  if (fields.private === undefined || fields.public === undefined) return undefined
  const key = keyOfSeed('Ed25519', Buffer.from(fields.private, 'base64url'))
  // Only the private part counts for signing: with another's public one, nobody could verify what this key signs.
  if (publicXOf(key) !== fields.public) throw invalidField('private', 'must belong to "public"')
  return key
}

function codeOf(bytes: Uint8Array, secret: KeyObject): Buffer {
  return createHmac('sha256', secret).update(bytes).digest()
}
