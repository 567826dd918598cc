/**
 * For whom a lane is: the engine sees audiences, never sessions.
 *
 * @see FED-11
 */
import { createHash } from 'node:crypto'
import { unreachable } from '../core/errors.ts'
import { ROLE_PATTERN, isLabel } from '../protocol/address/label.ts'

/** A person's own machines · every member of an organisation · those in a role · one member · who may use or answer a grant. */
export type Audience =
  | { readonly of: 'person' }
  | { readonly of: 'all' }
  | { readonly of: 'role'; readonly role: string }
  /** `~bob` */
  | { readonly of: 'member'; readonly handle: string }
  /** The grant by its {@link grantToken}; `from` is the organisation whose nodes write: `~acme` */
  | { readonly of: 'grant'; readonly grant: string; readonly from: string }

/**
 * Lanes of one link: a feed is open for each. A charter that names more roles and members has those written for that come
 * first; what is for the others stays here.
 */
export const MAX_LANES = 256

/** Hexadecimal digits that stand for what has no label's grammar. */
const DIGITS = 16

const ROLE = 'r-'
const MEMBER = 'm-'
const GRANT_TOKEN = /^[0-9a-f]{16}$/

/** What stands for a grant in subjects: the first 16 hexadecimal digits of the SHA-256 of its name. */
export function grantToken(grant: string): string {
  return digitsOf(grant)
}

/** What stands for an accord in the name of its realm. @param id - as `ACCORD.idOf` makes it: `acme_globex` */
export function accordToken(id: string): string {
  return digitsOf(id)
}

/** Whether a text can be a {@link grantToken} or an {@link accordToken}. */
export function isToken(text: string): boolean {
  return GRANT_TOKEN.test(text)
}

/** An audience in one word, as subjects have it; of a grant two: `all`, `r-dev`, `m-bob`, `0123456789abcdef.acme`, `f`. */
export function audienceToken(audience: Audience): string {
  switch (audience.of) {
    case 'person':
      return 'f'
    case 'all':
      return 'all'
    case 'role':
      return `${ROLE}${audience.role}`
    case 'member':
      return `${MEMBER}${audience.handle.slice(1)}`
    case 'grant':
      return `${audience.grant}.${audience.from.slice(1)}`
    default:
      return unreachable(audience)
  }
}

/** The audience of an organisation's lane; undefined for a word that names none. */
export function readOrgAudience(token: string): Audience | undefined {
  if (token === 'all') return { of: 'all' }
  const name = token.slice(2)
  if (token.startsWith(ROLE) && ROLE_PATTERN.test(name)) return { of: 'role', role: name }
  return token.startsWith(MEMBER) && isLabel(name) ? { of: 'member', handle: `~${name}` } : undefined
}

/** The audience of an accord's lane; undefined for words that name none. */
export function readGrantAudience(grant: string, org: string): Audience | undefined {
  return isToken(grant) && isLabel(org) ? { of: 'grant', grant, from: `~${org}` } : undefined
}

function digitsOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, DIGITS)
}
