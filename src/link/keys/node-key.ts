/**
 * The key of a node: Ed25519, its private half as the 32 bytes it is made of.
 *
 * @see FED-41; RFC 8032, RFC 8410
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { readBase64Url } from '../../aee/keys/base64.ts'
import { invalidField } from '../../aee/envelope/fault.ts'

/** A key that signs batches. */
export interface NodeKey {
  readonly key: KeyObject
  /** 32 bytes as base64url, as an estate names it. */
  readonly publicX: string
}

const SEED_BYTES = 32

/** What stands in front of the 32 bytes in PKCS #8. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')

/** A new one. @returns the seed as base64url, which is secret, and the public half */
export function createNodeKey(): { readonly seed: string; readonly publicX: string } {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return { seed: d, publicX: x }
}

/** @throws AgentdError `field-invalid`, which never quotes the seed */
export function readNodeKey(seed: string): NodeKey {
  const bytes = readBase64Url(seed)
  if (bytes?.length !== SEED_BYTES) throw invalidField('node_key', `must be ${SEED_BYTES} bytes as base64url`)
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, bytes]), format: 'der', type: 'pkcs8' })
  return { key, publicX: createPublicKey(key).export({ format: 'jwk' }).x ?? '' }
}
