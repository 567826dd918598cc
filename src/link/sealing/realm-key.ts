/**
 * The key that one epoch of a realm seals with: made where the estate is signed, and wrapped in it for each machine that the
 * estate names then. Whoever is let in later, and whoever is taken out, has none of it.
 *
 * @see FED-46; RFC 5869, RFC 7748 §6.1, NIST SP 800-38D
 */
import {
  createCipheriv,
  createDecipheriv,
  diffieHellman,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto'
import { readBase64Url } from '../../aee/keys/base64.ts'
import { createSeed, keyOfSeed, publicXOf } from '../../aee/keys/seed.ts'
import { boxOfKey, boxOfSeed, publicBox } from './box.ts'

/** As an estate carries it. */
export interface WrappedKey {
  /** Of the estate that it came with. */
  readonly epoch: number
  /** The public half of a key that was made for this, X25519: 32 bytes as base64url. */
  readonly from: string
  /** Node → the key and its tag: 48 bytes as base64url. */
  readonly keys: Readonly<Record<string, string>>
}

/** Whose key it is, and in whose realm. */
interface Holder {
  /** `~alice`. */
  readonly principal: string
  readonly node: string
}

const CIPHER = 'aes-256-gcm'
export const KEY_BYTES = 32
export const TAG_BYTES = 16

/** Each wrapping key is used once. */
const NO_NONCE = Buffer.alloc(12)

/** What is derived begins with it, so that nothing derived for something else is ever taken for it. */
const CONTEXT = 'agentd-seal-1'

/**
 * Makes the key of an epoch.
 *
 * @param nodes - those that are to have it, and the key that each signs with; one whose key is no point of the curve gets none
 */
export function wrapNewKey(
  { principal, epoch }: Pick<Holder, 'principal'> & Pick<WrappedKey, 'epoch'>,
  nodes: readonly { readonly node: string; readonly key: string }[],
): WrappedKey {
  const realmKey = randomBytes(KEY_BYTES)
  const made = keyOfSeed('X25519', createSeed())
  const from = publicXOf(made)
  const wrapped = nodes.flatMap(({ node, key }): [string, string][] => {
    const shared = sharedOf(made, () => boxOfKey(key))
    if (shared === undefined) return []
    const cipher = createCipheriv(CIPHER, wrappingKey(shared, { principal, node, epoch, from }), NO_NONCE)
    const text = Buffer.concat([cipher.update(realmKey), cipher.final(), cipher.getAuthTag()])
    return [[node, text.toString('base64url')]]
  })
  return { epoch, from, keys: Object.fromEntries(wrapped) }
}

/** The key, for the node whose seed this is; undefined where it is wrapped for others alone, or damaged. */
export function unwrapKey(
  { epoch, from, keys }: WrappedKey,
  { principal, node, seed }: Holder & { readonly seed: string },
): Buffer | undefined {
  const bytes = Object.hasOwn(keys, node) ? readBase64Url(keys[node] ?? '') : undefined
  if (bytes?.length !== KEY_BYTES + TAG_BYTES) return undefined
  const shared = sharedOf(boxOfSeed(seed), () => publicBox(from))
  return shared && opened(bytes, wrappingKey(shared, { principal, node, epoch, from }))
}

/** Undefined for what is no point of the curve, or one of the few that give away the secret. */
function sharedOf(privateKey: KeyObject, publicKey: () => KeyObject): Buffer | undefined {
  try {
    return diffieHellman({ privateKey, publicKey: publicKey() })
  } catch {
    return undefined
  }
}

function opened(bytes: Uint8Array, key: Buffer): Buffer | undefined {
  const decipher = createDecipheriv(CIPHER, key, NO_NONCE, { authTagLength: TAG_BYTES })
  decipher.setAuthTag(bytes.subarray(KEY_BYTES))
  const realmKey = decipher.update(bytes.subarray(0, KEY_BYTES))
  try {
    decipher.final()
    return realmKey
  } catch {
    // It was wrapped for somebody else, or was changed.
    return undefined
  }
}

function wrappingKey(
  shared: Buffer,
  { principal, node, epoch, from }: Holder & Pick<WrappedKey, 'epoch' | 'from'>,
): Buffer {
  const info = [CONTEXT, principal, node, String(epoch)].join('\n')
  return Buffer.from(hkdfSync('sha256', shared, Buffer.from(from, 'base64url'), info, KEY_BYTES))
}
