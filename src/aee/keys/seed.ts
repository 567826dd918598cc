/**
 * Keys of Curve25519 as the 32 random bytes that they are made of.
 *
 * Not by `generateKeyPairSync`: on Node 20, to export what that has made waits for ever when the collector takes away what made
 * it meanwhile, since both want one lock of the key.
 *
 * @see RFC 8032 §5.1.5, RFC 7748 §6.1, RFC 8410 §7
 */
import { createPrivateKey, createPublicKey, randomBytes, type KeyObject } from 'node:crypto'

/** Ed25519 signs, X25519 agrees on a secret. */
export type Curve = 'Ed25519' | 'X25519'

/** Bytes of a seed, and of the public half. */
export const SEED_BYTES = 32

/** What stands in front of the seed in PKCS #8. */
const PKCS8_HEADS = {
  Ed25519: Buffer.from('302e020100300506032b657004220420', 'hex'),
  X25519: Buffer.from('302e020100300506032b656e04220420', 'hex'),
}

/** A new one, which is secret. */
export function createSeed(): Buffer {
  return randomBytes(SEED_BYTES)
}

/** The private half. @param seed - 32 bytes */
export function keyOfSeed(curve: Curve, seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_HEADS[curve], seed]), format: 'der', type: 'pkcs8' })
}

/** The public half as base64url, as a JWK has it. @param key - the private half */
export function publicXOf(key: KeyObject): string {
  const { x } = createPublicKey(key).export({ format: 'jwk' })
  if (x === undefined) throw new TypeError('node did not export the public half of a key as JWK')
  return x
}
