/**
 * One grant of an accord: who may send what to whom, how often, and how large.
 *
 * @see FED-57; memo §6, AC-122. A local profile: the memo has the name of a grant in a scope, and no more.
 */
import { invalidField } from '../aee/envelope/fault.ts'
import { readMember } from '../aee/envelope/record.ts'
import { isIntentPattern } from '../aee/schemas/intent-pattern.ts'
import { MAX_FRAME_OCTETS } from '../core/limits.ts'
import { isJsonObject } from '../core/text/json-object.ts'
import { isHandle } from '../protocol/address/handle.ts'
import { formatScope, isRole, readScope } from '../protocol/address/scope.ts'
import { isKind } from '../protocol/frame/kinds.ts'
import { readNames, type ListedNames } from './listed-names.ts'

/** One grant, under the names it has in the document but for the two numbers. */
export interface Grant {
  /** What a scope calls it: `accord:~globex/grant:support`. */
  readonly grant: string
  /** The organisation whose members may send, and the one whose members they reach. */
  readonly from: string
  readonly to: string
  /** Who of them: `all`, `role:support` or `member:~bob`. */
  readonly reach: readonly string[]
  /** Kinds of frames; none is no frames. */
  readonly kinds: readonly string[]
  /** Intents of envelopes, or patterns of them, for machines that are linked; none is no envelopes. */
  readonly intents: readonly string[]
  /** What all senders together may send in a minute. */
  readonly perMinute: number
  /** Octets of one frame as it was submitted. */
  readonly maxOctets: number
}

/** Grants of one accord; protects whoever prints or judges them. */
const MAX_GRANTS = 32

/** Nobody reads a thousand a second. */
const MAX_PER_MINUTE = 60_000

const NAMES = ['grant', 'from', 'to', 'reach', 'kinds', 'intents', 'per_minute', 'max_octets'] as const
const REACHES: ListedNames = {
  isOne: (word) => readReach(word) !== undefined,
  says: 'of all, role:<role> or member:<handle>',
}
const SOME_KINDS: ListedNames = { isOne: isKind, says: 'of the fifteen kinds' }
const INTENTS: ListedNames = { isOne: isIntentPattern, says: 'intents, or prefixes that end in .*' }

/** A reach: everybody, a role, or one member. */
export type Reach =
  | { readonly of: 'all' }
  | { readonly of: 'role'; readonly role: string }
  | { readonly of: 'member'; readonly handle: string }

/** Reads one word of a reach; undefined for what is none. */
export function readReach(text: string): Reach | undefined {
  if (text === 'all') return { of: 'all' }
  const [form, name] = [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)]
  if (form === 'role' && isRole(name)) return { of: 'role', role: name }
  return form === 'member' && isHandle(name) ? { of: 'member', handle: name } : undefined
}

/** Whether two have one name and one direction: an accord holds only one such. */
export function isSameGrant(one: Grant, other: Grant): boolean {
  return one.grant === other.grant && one.from === other.from
}

/** The scope a grant is addressed by. */
export function scopeOfGrant({ grant, to }: Pick<Grant, 'grant' | 'to'>): string {
  return formatScope({ form: 'accord', org: to, grant })
}

/**
 * Reads the grants of an accord.
 *
 * @param parties - the handles of both sides
 * @throws AgentdError `field-invalid`, field the member
 */
export function readGrants(value: unknown, parties: readonly string[]): readonly Grant[] {
  const listed: readonly unknown[] = Array.isArray(value) ? value : []
  if (listed.length === 0 || listed.length > MAX_GRANTS)
    throw invalidField('grants', `must be a list of 1 to ${MAX_GRANTS} grants`)
  const grants = listed.map((one, i) => readGrant(one, `grants[${i}]`, parties))
  for (const [i, grant] of grants.entries()) {
    if (grants.slice(0, i).some((one) => isSameGrant(one, grant)))
      throw invalidField(`grants[${i}].grant`, 'stands in this accord already, from the same side')
  }
  return grants
}

function readGrant(value: unknown, field: string, parties: readonly string[]): Grant {
  if (!isJsonObject(value) || Object.keys(value).some((name) => !NAMES.some((known) => known === name)))
    throw invalidField(field, `must be an object of ${NAMES.join(', ')}`)
  const [grant, from, to, reach, kinds, intents, perMinute, maxOctets] = NAMES.map((name) =>
    readMember(value, name),
  )
  const sides = readSides([from, to], field, parties)
  const read = {
    grant: readGrantName(grant, `${field}.grant`),
    ...sides,
    reach: readNames(reach, `${field}.reach`, REACHES),
    kinds: readNames(kinds, `${field}.kinds`, SOME_KINDS),
    intents: readNames(intents, `${field}.intents`, INTENTS),
    perMinute: readNumber(perMinute, `${field}.per_minute`, MAX_PER_MINUTE),
    maxOctets: readNumber(maxOctets, `${field}.max_octets`, MAX_FRAME_OCTETS),
  }
  if (read.reach.length === 0) throw invalidField(`${field}.reach`, 'must name whom the grant reaches')
  if (read.kinds.length + read.intents.length === 0)
    throw invalidField(`${field}.kinds`, 'must name what may be sent, where no intents do')
  return read
}

function readSides(
  [from, to]: readonly [unknown, unknown],
  field: string,
  parties: readonly string[],
): Pick<Grant, 'from' | 'to'> {
  const [sender, receiver] = [from, to].map((side) => parties.find((org) => org === side))
  if (sender === undefined) throw invalidField(`${field}.from`, 'must be one of the two parties')
  if (receiver === undefined || receiver === sender)
    throw invalidField(`${field}.to`, 'must be the other of the two parties')
  return { from: sender, to: receiver }
}

/** A name that a scope can hold. */
function readGrantName(value: unknown, field: string): string {
  const scope = typeof value === 'string' ? readScope(`accord:~a/grant:${value}`) : undefined
  if (scope?.form === 'accord') return scope.grant
  throw invalidField(field, 'must be letters, digits and ". _ : -"')
}

function readNumber(value: unknown, field: string, most: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= most) return value
  throw invalidField(field, `must be a whole number from 1 to ${most}`)
}
