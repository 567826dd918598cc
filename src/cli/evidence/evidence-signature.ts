/**
 * Signing what is kept as evidence, and judging what others have signed: Ed25519, by a key that was not revoked.
 *
 * @see docs/requirements.md §§2.3, 2.4
 */
import { readBase64 } from '../../aee/keys/base64.ts'
import type { Key, KeyRing } from '../../aee/keys/key.ts'
import { UsageError } from '../../core/errors.ts'

/**
 * @param what - what is signed, in a word
 * @returns 64 bytes as base64
 * @throws UsageError for a key that signs nothing of the kind
 */
export function signEvidence(bytes: Uint8Array, key: Key, what: string): string {
  if (key.alg !== 'ed25519' || key.status === 'revoked')
    throw new UsageError(
      `The key "${key.kid}" cannot sign a ${what}: it has to be an ed25519 key that holds.`,
    )
  return key.sign(bytes).toString('base64')
}

/** Why a signature shows nothing, as the end of a sentence; undefined where it holds. One that has expired held then. */
export function signatureFault(
  bytes: Uint8Array,
  { kid, value }: { readonly kid: string; readonly value: string },
  keys: KeyRing,
): string | undefined {
  const key = keys.find(kid)
  if (key?.alg !== 'ed25519') return `no key "${kid}" is trusted here`
  if (key.status === 'revoked') return `the key "${kid}" was revoked`
  const signature = readBase64(value)
  return signature !== undefined && key.verify(bytes, signature)
    ? undefined
    : 'it is not what that key has signed'
}
