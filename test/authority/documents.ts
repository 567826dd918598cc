/**
 * Keys and charters to test with.
 */
import { CHARTER, charterMembers, type Member } from '../../src/authority/charter.ts'
import { draftDocument, type SignedDocument } from '../../src/authority/document.ts'
import type { Charter } from '../../src/authority/charter.ts'
import { signDocument } from '../../src/authority/signing.ts'
import { createKey } from '../../src/aee/keys/new-key.ts'
import { readKey, type Key } from '../../src/aee/keys/key.ts'

/** When everything here is made. */
export const NOW_MS = Date.parse('2026-11-22T12:00:00Z')

/** A key that may sign for some handles or entities. */
export function keyFor(...entities: readonly string[]): Key {
  return readKey(createKey({ alg: 'ed25519', entities, nowMs: NOW_MS }).text)
}

/** What a test says of a charter. */
export interface CharterWish {
  readonly org?: string
  readonly epoch?: number
  readonly members?: readonly Member[]
  readonly notBefore?: string
  readonly notAfter?: string
}

/** A charter of `~acme` with one member, unless said otherwise, that nobody has signed. */
export function charterOf(wish: CharterWish = {}): SignedDocument<Charter> {
  const { org = '~acme', epoch = 1, members = [{ handle: '~alice', roles: ['dev'] }] } = wish
  return draftDocument(CHARTER, {
    ...charterMembers({ org, members }),
    authority_epoch: epoch,
    ...(wish.notBefore !== undefined && { not_before: wish.notBefore }),
    ...(wish.notAfter !== undefined && { not_after: wish.notAfter }),
  })
}

/** As {@link charterOf}, signed by the organisation. */
export function signedCharter(key: Key, wish: CharterWish = {}): SignedDocument<Charter> {
  return signDocument(charterOf(wish), wish.org ?? '~acme', key)
}
