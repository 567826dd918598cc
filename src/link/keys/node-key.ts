/**
 * The key of a node: Ed25519, its private half as the 32 bytes it is made of.
 *
 * @see FED-41; RFC 8032, RFC 8410
 */
import type { KeyObject } from 'node:crypto'
import { readBase64Url } from '../../aee/keys/base64.ts'
import { invalidField } from '../../aee/envelope/fault.ts'
import { SEED_BYTES, createSeed, keyOfSeed, publicXOf } from '../../aee/keys/seed.ts'

/** A key that signs batches. */
export interface NodeKey {
  readonly key: KeyObject
  /** 32 bytes as base64url, as an estate names it. */
  readonly publicX: string
}

/** A new one. @returns the seed as base64url, which is secret, and the public half */
export function createNodeKey(): { readonly seed: string; readonly publicX: string } {
  const seed = createSeed().toString('base64url')
  return { seed, publicX: readNodeKey(seed).publicX }
}

/** @throws AgentdError `field-invalid`, which never quotes the seed */
export function readNodeKey(seed: string): NodeKey {
  const bytes = readBase64Url(seed)
  if (bytes?.length !== SEED_BYTES) throw invalidField('node_key', `must be ${SEED_BYTES} bytes as base64url`)
  const key = keyOfSeed('Ed25519', bytes)
  return { key, publicX: publicXOf(key) }
}
