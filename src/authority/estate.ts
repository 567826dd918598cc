/**
 * An estate: which machines are a person's own, and the key that each signs with. Signed with the person's key, which is on
 * none of them but the one that invites.
 *
 * @see FED-40, FED-41, FED-43. The document is a local profile: no draft defines one.
 */
import { invalidField } from '../aee/envelope/fault.ts'
import { anyOf } from '../aee/envelope/member-rule.ts'
import { readMember, type RecordMembers } from '../aee/envelope/record.ts'
import { Key } from '../aee/keys/key.ts'
import { AgentdError } from '../core/errors.ts'
import { isJsonObject } from '../core/text/json-object.ts'
import { readTimestampMs } from '../core/text/timestamp.ts'
import { isHandle } from '../protocol/address/handle.ts'
import { isLabel } from '../protocol/address/label.ts'
import { readDocument, type DocumentForm, type SignedDocument } from './document.ts'
import { readKeyText } from './listed-names.ts'
import { MAX_ESTATE_SEALS, isSealList, readSeals, type EstateSeal } from './estate-seals.ts'
import { verifyDocument, type SignerKeys } from './signing.ts'

/** One machine. */
export interface EstateNode {
  /** Its name in the person's realm: 1 to 32 of `a-z 0-9 -`. */
  readonly node: string
  /** The Ed25519 key it signs with: 32 bytes as base64url, as the JWK member `x`. */
  readonly key: string
  /** The first and the last moment at which that key counts, RFC 3339; absent: no bound. */
  readonly not_before?: string
  readonly not_after?: string
}

/** What an estate says. */
export interface Estate {
  /** The person's handle. */
  readonly principal: string
  /** In the order of the text; none is a person whose machines were all taken back. */
  readonly nodes: readonly EstateNode[]
  /** The keys that its realm is sealed with, oldest first (FED-46); absent: none. */
  readonly seals?: readonly EstateSeal[]
}

/** Machines of one person; protects whoever prints or judges them. */
export const MAX_ESTATE_NODES = 256

const NAMES: ReadonlySet<string> = new Set(['node', 'key', 'not_before', 'not_after'])

/** The one form of an estate. */
export const ESTATE: DocumentForm<Estate> = {
  type: 'agentd.estate',
  noun: 'estate',
  signatures: 'sig',
  rules: {
    principal: anyOf('a canonical handle', (value) => typeof value === 'string' && isHandle(value)),
    nodes: anyOf(
      `a list of at most ${MAX_ESTATE_NODES} nodes`,
      (value) => Array.isArray(value) && value.length <= MAX_ESTATE_NODES,
    ),
    seals: anyOf(`a list of 1 to ${MAX_ESTATE_SEALS} wrapped keys`, isSealList),
  },
  optional: new Set(['seals']),
  readBody: (members) => ({
    principal: String(readMember(members, 'principal')),
    nodes: readNodes(members),
    ...sealsOf(readSeals(readMember(members, 'seals'))),
  }),
  signersOf: ({ principal }) => [principal],
  idOf: ({ principal }) => principal.slice(1),
}

/** The members of an estate, for the next one, as they stand in a document. */
export function estateMembers({ principal, nodes, seals = [] }: Estate): RecordMembers {
  const sorted = nodes.toSorted((a, b) => (a.node < b.node ? -1 : 1))
  return { type: ESTATE.type, v: 1, principal, nodes: sorted, ...sealsOf(seals) }
}

/**
 * Reads an estate that the person's key has signed, which the realm has pinned; any other key's is none, whatever it is
 * called.
 *
 * @param pinnedKey - 32 bytes as base64url
 * @param nowMs - wall time
 * @throws AgentdError as `readDocument` and `verifyDocument`
 */
export function readEstate(text: string, pinnedKey: string, nowMs: number): SignedDocument<Estate> {
  const estate = readDocument(ESTATE, text)
  verifyDocument(estate, onlyKey(estate.body.principal, pinnedKey), nowMs)
  return estate
}

/**
 * The key of a node at some moment by the engine's clock, or why it has none.
 *
 * @param engineMs - when the engine took the message, so that what was sent before a revocation still counts (FED-43)
 * @returns 32 bytes as base64url, or a refusal `sender-identity-mismatch`
 */
export function nodeAt(
  { body, notBeforeMs, notAfterMs }: Pick<SignedDocument<Estate>, 'body' | 'notBeforeMs' | 'notAfterMs'>,
  node: string,
  engineMs: number,
): string | AgentdError {
  const found = body.nodes.find((one) => one.node === node)
  if (found === undefined) return refused(`The estate of ${body.principal} names no machine "${node}"`)
  const from = Math.max(notBeforeMs ?? 0, readTimestampMs(found.not_before ?? '') ?? 0)
  const to = Math.min(notAfterMs ?? Infinity, readTimestampMs(found.not_after ?? '') ?? Infinity)
  if (engineMs < from) return refused(`The key of the machine "${node}" did not count yet`)
  return engineMs > to ? refused(`The key of the machine "${node}" counted no more`) : found.key
}

/** The machines whose keys count still. @param nowMs - wall time */
export function currentNodes(nodes: readonly EstateNode[], nowMs: number): readonly EstateNode[] {
  return nodes.filter(({ not_after: until }) => (readTimestampMs(until ?? '') ?? Infinity) > nowMs)
}

/** The one key that may sign for a handle. */
export function onlyKey(handle: string, x: string): SignerKeys {
  return {
    find: (signer, kid) =>
      signer === handle
        ? new Key({
            kid,
            alg: 'ed25519',
            entities: [handle],
            status: 'trusted',
            created_at: '1970-01-01T00:00:00Z',
            public: x,
          })
        : undefined,
  }
}

function sealsOf(seals: readonly EstateSeal[]): Pick<Estate, 'seals'> {
  return seals.length === 0 ? {} : { seals }
}

function readNodes(members: RecordMembers): readonly EstateNode[] {
  const listed = readMember(members, 'nodes')
  const nodes = Array.isArray(listed) ? listed.map((one, i) => readNode(one, `nodes[${i}]`)) : []
  const seen = new Set<string>()
  for (const [i, { node }] of nodes.entries()) {
    if (seen.has(node)) throw invalidField(`nodes[${i}].node`, 'stands in this estate already')
    seen.add(node)
  }
  return nodes
}

function readNode(value: unknown, field: string): EstateNode {
  if (!isJsonObject(value) || Object.keys(value).some((name) => !NAMES.has(name)))
    throw invalidField(field, `must be an object of ${[...NAMES].join(', ')}`)
  const node = readMember(value, 'node')
  if (typeof node !== 'string' || !isLabel(node))
    throw invalidField(`${field}.node`, 'must be 1 to 32 of a-z 0-9 -')
  const key = readKeyText(readMember(value, 'key'), `${field}.key`)
  return { node, key, ...timesOf(value, field) }
}

function timesOf(value: RecordMembers, field: string): Pick<EstateNode, 'not_before' | 'not_after'> {
  const [from, to] = (['not_before', 'not_after'] as const).map((name) => {
    const time = readMember(value, name)
    if (time === undefined) return undefined
    if (typeof time !== 'string' || readTimestampMs(time) === undefined)
      throw invalidField(`${field}.${name}`, 'must be an RFC 3339 time')
    return time
  })
  return { ...(from !== undefined && { not_before: from }), ...(to !== undefined && { not_after: to }) }
}

function refused(why: string): AgentdError {
  return new AgentdError('sender-identity-mismatch', `${why}.`, { field: 'node' })
}
