/**
 * Signing a document, and checking what others have signed: Ed25519 over its canonical text, by each whose word it is.
 *
 * The bytes begin with a line of their own, so that nothing signed as an envelope is ever taken for a document.
 *
 * @see FED-40, FED-44; docs/requirements.md §3
 */
import { readBase64 } from '../aee/keys/base64.ts'
import type { Key, KeyRing } from '../aee/keys/key.ts'
import { AgentdError, UsageError } from '../core/errors.ts'
import type { DocumentSignature, SignatureMember } from './document-signature.ts'
import type { SignedDocument } from './document.ts'

/** Where a verifier looks up the key that a signature names. */
export interface SignerKeys {
  /** @returns undefined where no such key may sign for the handle */
  find(signer: string, kid: string): Key | undefined
}

/** What stands in front of the canonical text. */
const CONTEXT = 'agentd-document-1\n'

/**
 * The keys that may sign for a handle: those that name it, letter for letter. One for `*` or `agent.*` signs envelopes, and
 * no document.
 */
export function keysNaming(ring: KeyRing): SignerKeys {
  return {
    find: (signer, kid) => {
      const key = ring.find(kid)
      return key?.alg === 'ed25519' && key.entities.includes(signer) ? key : undefined
    },
  }
}

/**
 * Adds a party's signature, in the place of the one it had.
 *
 * @throws UsageError when the key cannot sign for the handle, or the handle has no part in the document
 */
export function signDocument<Body>(
  document: SignedDocument<Body>,
  by: string,
  key: Key,
): SignedDocument<Body> {
  const { form, body, signatures } = document
  const signers = form.signersOf(body)
  if (!signers.includes(by)) throw new UsageError(`${by} has no part in this ${form.noun}.`)
  if (key.alg !== 'ed25519' || !key.entities.includes(by) || key.status === 'revoked')
    throw new UsageError(`The key "${key.kid}" may not sign for ${by}.`)
  if (!isPinned(document, by, key))
    throw new UsageError(`This ${form.noun} names another key of ${by} than "${key.kid}".`)
  const value = key.sign(boundBytes(document)).toString('base64')
  const signed: DocumentSignature = { by, alg: 'ed25519', kid: key.kid, value }
  const others = signatures.filter((one) => one.by !== by)
  const rank = ({ by: signer }: DocumentSignature): number => signers.indexOf(signer)
  return { ...document, signatures: [...others, signed].toSorted((a, b) => rank(a) - rank(b)) }
}

/**
 * Checks that every party has signed this very text with a key that holds now.
 *
 * @throws AgentdError `signature-required` for a missing one, `signature-unverifiable` for a key that is not known or holds
 *   no more, `signature-invalid` for a text that was changed
 */
export function verifyDocument<Body>(document: SignedDocument<Body>, keys: SignerKeys, nowMs: number): void {
  const { form, body, signatures } = document
  const signers = form.signersOf(body)
  const bytes = boundBytes(document)
  for (const signer of signers) {
    const own = signatures.filter(({ by }) => by === signer)
    const [signature] = own
    if (signature === undefined)
      throw refused('signature-required', `${signer} has not signed this ${form.noun}`, form.signatures)
    if (own.length > 1) throw refused('signature-invalid', `${signer} has signed twice`, form.signatures)
    const key = requireKey(signature, keys, { nowMs, member: form.signatures })
    if (!isPinned(document, signer, key)) {
      const why = `The key "${key.kid}" is not the one that this ${form.noun} names for ${signer}`
      throw refused('signature-unverifiable', why, form.signatures)
    }
    const value = readBase64(signature.value)
    if (value === undefined || !key.verify(bytes, value)) {
      const why = `The ${form.noun} is not what ${signer} has signed with the key "${key.kid}"`
      throw refused('signature-invalid', why, form.signatures)
    }
  }
  if (signatures.some(({ by }) => !signers.includes(by)))
    throw refused(
      'signature-invalid',
      `Somebody who has no part in this ${form.noun} has signed it`,
      form.signatures,
    )
}

/** Whether a key is the one that the document names for a party, where it names one. */
function isPinned<Body>({ form, body }: SignedDocument<Body>, signer: string, key: Key): boolean {
  const pinned = form.pinnedKey?.(body, signer)
  return pinned === undefined || key.publicFields()?.public === pinned
}

function requireKey(
  { by, kid }: DocumentSignature,
  keys: SignerKeys,
  { nowMs, member }: { readonly nowMs: number; readonly member: SignatureMember },
): Key {
  const key = keys.find(by, kid)
  if (key === undefined)
    throw refused('signature-unverifiable', `No key "${kid}" is trusted here to sign for ${by}`, member)
  const state = key.stateAt(nowMs)
  if (state === 'trusted') return key
  throw refused('signature-unverifiable', `The key "${kid}" of ${by} is ${state}`, member)
}

function boundBytes({ signedText }: Pick<SignedDocument<unknown>, 'signedText'>): Uint8Array {
  return Buffer.from(`${CONTEXT}${signedText}`)
}

function refused(
  code: 'signature-required' | 'signature-unverifiable' | 'signature-invalid',
  why: string,
  field: string,
): AgentdError {
  return new AgentdError(code, `${why}.`, { field })
}
