/**
 * Accords to test with.
 */
import { ACCORD, accordMembers, type Accord } from '../../src/authority/accord.ts'
import { draftDocument, type SignedDocument } from '../../src/authority/document.ts'
import type { Grant } from '../../src/authority/grant.ts'
import { signDocument } from '../../src/authority/signing.ts'
import type { Key } from '../../src/aee/keys/key.ts'
import { keyFor } from './documents.ts'

/** The keys of both sides. */
export interface Sides {
  readonly acme: Key
  readonly globex: Key
}

/** What a test says of an accord. */
export interface AccordWish {
  readonly epoch?: number
  readonly grants?: readonly Grant[]
  readonly notBefore?: string
  readonly notAfter?: string
}

/** Both sides, with new keys. */
export function newSides(): Sides {
  return { acme: keyFor('~acme'), globex: keyFor('~globex') }
}

/** `support`, from `~acme` to the role of that name at `~globex`, unless said otherwise. */
export function grantOf(wish: Partial<Grant> = {}): Grant {
  return {
    grant: 'support',
    from: '~acme',
    to: '~globex',
    reach: ['role:support'],
    kinds: ['agent_query', 'agent_response'],
    intents: [],
    perMinute: 60,
    maxOctets: 16_384,
    ...wish,
  }
}

/** An accord of both sides that nobody has signed. */
export function accordOf({ acme, globex }: Sides, wish: AccordWish = {}): SignedDocument<Accord> {
  const { epoch = 1, grants = [grantOf()], notBefore, notAfter = '2999-01-01T00:00:00Z' } = wish
  const parties = [
    { org: '~acme', key: publicOf(acme) },
    { org: '~globex', key: publicOf(globex) },
  ] as const
  return draftDocument(ACCORD, {
    ...accordMembers({ parties, grants }),
    authority_epoch: epoch,
    not_after: notAfter,
    ...(notBefore !== undefined && { not_before: notBefore }),
  })
}

/** As {@link accordOf}, signed by both. */
export function signedAccord(sides: Sides, wish: AccordWish = {}): SignedDocument<Accord> {
  const half = signDocument(accordOf(sides, wish), '~acme', sides.acme)
  return signDocument(half, '~globex', sides.globex)
}

function publicOf(key: Key): string {
  return key.publicFields()?.public ?? ''
}
