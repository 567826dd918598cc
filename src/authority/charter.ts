/**
 * A charter: who is a member of an organisation, and in which roles. Signed with the organisation's key.
 *
 * @see memo §6, AC-120, AC-121, AC-125; FED-40, FED-56. The document is a local profile: no draft defines one.
 */
import { isEntity } from '../aee/envelope/entity.ts'
import { invalidField } from '../aee/envelope/fault.ts'
import { anyOf } from '../aee/envelope/member-rule.ts'
import { readMember, type RecordMembers } from '../aee/envelope/record.ts'
import { isJsonObject } from '../core/text/json-object.ts'
import { isHandle } from '../protocol/address/handle.ts'
import { isRole } from '../protocol/address/scope.ts'
import type { DocumentForm } from './document.ts'
import { readKeyText, readNames, type ListedNames } from './listed-names.ts'

/** A recognised member. */
export interface Member {
  /** A Sovereign handle. */
  readonly handle: string
  /** Each once; none is a member of no role. */
  readonly roles: readonly string[]
  /** The member's own Ed25519 key: 32 bytes as base64url, as the JWK member `x`. */
  readonly key?: string
  /** Entities it speaks for from elsewhere: exact names, or `agent.alice-*`. */
  readonly entities?: readonly string[]
}

/** What a charter says. */
export interface Charter {
  /** The organisation's handle. */
  readonly org: string
  /** In the order of their handles, each once. */
  readonly members: readonly Member[]
}

const NAMES: ReadonlySet<string> = new Set(['handle', 'roles', 'key', 'entities'])
const ROLES: ListedNames = { isOne: isRole, says: 'roles' }
const ENTITIES: ListedNames = { isOne: isEntity, says: 'entities' }

/** The one form of a charter. */
export const CHARTER: DocumentForm<Charter> = {
  type: 'agentd.charter',
  noun: 'charter',
  signatures: 'sig',
  rules: {
    org: anyOf('the canonical handle of the organisation', isHandleValue),
    members: anyOf('a list of members', Array.isArray),
  },
  readBody: (members) => ({ org: String(readMember(members, 'org')), members: readRoll(members) }),
  signersOf: ({ org }) => [org],
  idOf: ({ org }) => org.slice(1),
}

/** The members of a charter, for the next one, as they stand in a document. */
export function charterMembers({ org, members }: Charter): RecordMembers {
  return { type: CHARTER.type, v: 1, org, members: members.toSorted(byHandle) }
}

/**
 * Looks a charter's handles up, by role; made once for each charter, since every frame to the organisation asks.
 */
export class Roll {
  /** Every member. */
  readonly all: ReadonlySet<string>
  readonly #byRole: ReadonlyMap<string, ReadonlySet<string>>

  constructor({ members }: Charter) {
    const byRole = new Map<string, Set<string>>()
    for (const { handle, roles } of members) {
      for (const role of roles) {
        const holders = byRole.get(role) ?? new Set()
        byRole.set(role, holders.add(handle))
      }
    }
    this.all = new Set(members.map(({ handle }) => handle))
    this.#byRole = byRole
  }

  /** Members that hold a role; without one, all. A role that nobody holds names nobody. */
  of(role: string | undefined): ReadonlySet<string> {
    return role === undefined ? this.all : (this.#byRole.get(role) ?? NOBODY)
  }
}

const NOBODY: ReadonlySet<string> = new Set()

function isHandleValue(value: unknown): boolean {
  return typeof value === 'string' && isHandle(value)
}

function readRoll(record: RecordMembers): readonly Member[] {
  const listed = readMember(record, 'members')
  const members = Array.isArray(listed) ? listed.map((one, i) => readOne(one, `members[${i}]`)) : []
  const seen = new Set<string>()
  for (const [i, { handle }] of members.entries()) {
    if (seen.has(handle)) throw invalidField(`members[${i}].handle`, 'stands in this charter already')
    seen.add(handle)
  }
  return members
}

function readOne(value: unknown, field: string): Member {
  if (!isJsonObject(value) || Object.keys(value).some((name) => !NAMES.has(name)))
    throw invalidField(field, `must be an object of ${[...NAMES].join(', ')}`)
  const [handle, key] = [readMember(value, 'handle'), readMember(value, 'key')]
  if (typeof handle !== 'string' || !isHandle(handle))
    throw invalidField(`${field}.handle`, 'must be a canonical handle such as ~alice')
  const roles = readNames(readMember(value, 'roles') ?? [], `${field}.roles`, ROLES)
  const entities = readMember(value, 'entities')
  return {
    handle,
    roles,
    ...(key !== undefined && { key: readKeyText(key, `${field}.key`) }),
    ...(entities !== undefined && { entities: readNames(entities, `${field}.entities`, ENTITIES) }),
  }
}

function byHandle(a: Member, b: Member): number {
  return a.handle < b.handle ? -1 : 1
}
