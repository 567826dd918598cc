/**
 * The key of a node as one that something can be sealed for: the X25519 key on the same curve as its Ed25519 key, so that an
 * estate names one key of a machine, and a link file holds one.
 *
 * @see FED-46; RFC 7748 §4.1, RFC 8032 §5.1.5
 */
import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { readBase64Url } from '../../aee/keys/base64.ts'
import { invalidField } from '../../aee/envelope/fault.ts'
import { SEED_BYTES, keyOfSeed } from '../../aee/keys/seed.ts'

/** The prime of the field. */
const P = 2n ** 255n - 19n

/** The private half. @param seed - of the node's key, 32 bytes as base64url @throws AgentdError `field-invalid` */
export function boxOfSeed(seed: string): KeyObject {
  const scalar = createHash('sha512').update(bytesOf(seed, 'node_key')).digest().subarray(0, SEED_BYTES)
  return keyOfSeed('X25519', scalar)
}

/** The public half. @param key - as an estate names it, 32 bytes as base64url @throws AgentdError `field-invalid` */
export function boxOfKey(key: string): KeyObject {
  // The lowest byte comes first; the topmost bit is the sign of the coordinate that is not needed.
  const y = BigInt(`0x${Buffer.from(bytesOf(key, 'key').toReversed()).toString('hex')}`) & (2n ** 255n - 1n)
  const u = ((1n + y) * power(1n - y, P - 2n)) % P
  const bytes = Buffer.from(u.toString(16).padStart(2 * SEED_BYTES, '0'), 'hex').toReversed()
  return publicBox(Buffer.from(bytes).toString('base64url'))
}

/** @param x - 32 bytes as base64url @throws AgentdError `field-invalid` */
export function publicBox(x: string): KeyObject {
  bytesOf(x, 'from')
  return createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' })
}

function bytesOf(text: string, field: string): Buffer {
  const bytes = readBase64Url(text)
  if (bytes?.length !== SEED_BYTES) throw invalidField(field, `must be ${SEED_BYTES} bytes as base64url`)
  return Buffer.from(bytes)
}

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, ((base % P) + P) % P]
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % P
    square = (square * square) % P
  }
  return result
}
