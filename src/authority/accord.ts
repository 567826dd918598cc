/**
 * An accord: what two organisations grant each other, until when, and how much of it. Both sign the same text.
 *
 * @see memo §6, AC-122, AC-126, AC-127; FED-40, FED-57. The document is a local profile: no draft defines one.
 */
import { invalidField, missingField } from '../aee/envelope/fault.ts'
import { anyOf } from '../aee/envelope/member-rule.ts'
import { readMember, type RecordMembers } from '../aee/envelope/record.ts'
import { isJsonObject } from '../core/text/json-object.ts'
import { isHandle } from '../protocol/address/handle.ts'
import type { DocumentForm } from './document.ts'
import { isSameGrant, readGrants, type Grant } from './grant.ts'
import { readKeyText } from './listed-names.ts'

/** One of the two sides. */
export interface Party {
  /** The organisation's handle. */
  readonly org: string
  /** The one Ed25519 key it signs this accord with: 32 bytes as base64url, as the JWK member `x`. */
  readonly key: string
}

/** What an accord says. */
export interface Accord {
  /** In the order of their handles, whatever the text's. */
  readonly parties: readonly [Party, Party]
  readonly grants: readonly Grant[]
}

const PARTY_NAMES: ReadonlySet<string> = new Set(['org', 'key'])

/** The one form of an accord; it always ends, so `not_after` may not be left out. */
export const ACCORD: DocumentForm<Accord> = {
  type: 'agentd.accord',
  noun: 'accord',
  signatures: 'sigs',
  rules: {
    parties: anyOf('a list of two parties', (value) => Array.isArray(value) && value.length === 2),
    grants: anyOf('a list of grants', Array.isArray),
  },
  readBody,
  signersOf: ({ parties }) => parties.map(({ org }) => org),
  pinnedKey: ({ parties }, signer) => parties.find(({ org }) => org === signer)?.key,
  // No handle holds an underscore, so two pairs never share a name.
  idOf: ({ parties }) => parties.map(({ org }) => org.slice(1)).join('_'),
}

/** The members of an accord, for the next one, as they stand in a document. */
export function accordMembers({ parties, grants }: Accord): RecordMembers {
  const written = grants.map(({ perMinute, maxOctets, ...rest }) => ({
    ...rest,
    per_minute: perMinute,
    max_octets: maxOctets,
  }))
  return { type: ACCORD.type, v: 1, parties, grants: written }
}

/**
 * An accord in which a grant stands in the place of the one of its name and direction, if there was one.
 */
export function withGrant({ parties, grants }: Accord, grant: Grant): Accord {
  return { parties, grants: [...grants.filter((one) => !isSameGrant(one, grant)), grant] }
}

function readBody(members: RecordMembers): Accord {
  if (readMember(members, 'not_after') === undefined) throw missingField('not_after')
  const parties = readParties(readMember(members, 'parties'))
  const grants = readGrants(
    readMember(members, 'grants'),
    parties.map(({ org }) => org),
  )
  return { parties, grants }
}

function readParties(value: unknown): readonly [Party, Party] {
  const listed: readonly unknown[] = Array.isArray(value) ? value : []
  const [a, b] = listed.map((one, i) => readParty(one, `parties[${i}]`))
  if (a === undefined || b === undefined) throw invalidField('parties', 'must be a list of two parties')
  if (a.org === b.org) throw invalidField('parties[1].org', 'must be another organisation than the first')
  return a.org < b.org ? [a, b] : [b, a]
}

function readParty(value: unknown, field: string): Party {
  if (!isJsonObject(value) || Object.keys(value).some((name) => !PARTY_NAMES.has(name)))
    throw invalidField(field, `must be an object of ${[...PARTY_NAMES].join(', ')}`)
  const [org, key] = [readMember(value, 'org'), readMember(value, 'key')]
  if (typeof org !== 'string' || !isHandle(org))
    throw invalidField(`${field}.org`, 'must be the canonical handle of an organisation')
  return { org, key: readKeyText(key, `${field}.key`) }
}
