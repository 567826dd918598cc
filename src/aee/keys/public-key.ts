/**
 * The public half of an Ed25519 key, as what checks signatures wants it.
 *
 * @see RFC 8032, RFC 8037 §2
 */
import { createPublicKey, type KeyObject } from 'node:crypto'
import { BoundedMap } from '../../core/collections/bounded.ts'

/** Those that are remembered: more than a realm has nodes. Making one costs nearly half of what a check with it does. */
const MOST_REMEMBERED = 256

const remembered = new BoundedMap<string, KeyObject>({ most: MOST_REMEMBERED, atOnce: 0 })

/** @param x - 32 bytes as base64url, the JWK member `x` @throws Error where it is none */
export function publicKeyOf(x: string): KeyObject {
  const known = remembered.get(x)
  if (known !== undefined) return known
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  remembered.set(x, key)
  return key
}
