/**
 * One message of a lane: the head, then its records, a line each. And the signature that goes with it as a header.
 *
 * @see FED-17, FED-41
 */
import { sign, verify, type KeyObject } from 'node:crypto'
import { invalidField } from '../aee/envelope/fault.ts'
import { anyOf } from '../aee/envelope/member-rule.ts'
import { readMember, type RecordMembers } from '../aee/envelope/record.ts'
import { readBase64, readBase64Url } from '../aee/keys/base64.ts'
import { publicKeyOf } from '../aee/keys/public-key.ts'
import { AgentdError } from '../core/errors.ts'
import { COUNT, FLAG, NODE, PLACE_OR_NULL, shortText } from './text/member-rules.ts'
import { sealedOctets } from './sealing/sealed-line.ts'
import { readObject, requireMembers, requireText, type MemberRules } from './text/members.ts'
import { MAX_RECORD_OCTETS } from './record.ts'

/** What a batch says of itself, under the names it has on the wire. */
export interface BatchHead {
  readonly v: 1
  readonly node: string
  /** The life of the origin's counter. */
  readonly epoch: string
  /** The place that the records follow: `last` of the batch before, or just before what is still there; null: the first. */
  readonly prev: string | null
  /** The place of the last record that has one, in this batch or before it; null: none was ever sent. */
  readonly last: string | null
  /** The origin's digest of the record at `last`. */
  readonly digest: string | null
  /** Whether an epoch, or the lane, begins here and nothing is missing in front of it; false in every later batch. */
  readonly clean: boolean
  /** How far the reports in the lane go, as the origin numbers them. */
  readonly reports: number
  /** Milliseconds since 1970 by the origin's clock. */
  readonly sent_at: number
  /** Of the estate that the origin holds. */
  readonly authority_epoch: number
}

export interface Batch {
  readonly head: BatchHead
  /** The records as they stand, each for `readRecord`. */
  readonly lines: readonly string[]
}

/** The header of the signature: `<node> <base64>`. */
export const HEADER_SIGNATURE = 'Agentd-Sig'

/** Records of one batch. */
export const MAX_BATCH_RECORDS = 256

/** The first line. */
const MAX_HEAD_OCTETS = 4_096

/** One line that is sealed (FED-46). */
export const MAX_SEALED_OCTETS = sealedOctets(MAX_RECORD_OCTETS)

/** A whole body: the largest record, sealed, its head and their breaks; several records are far below it. */
export const MAX_BATCH_OCTETS = MAX_SEALED_OCTETS + MAX_HEAD_OCTETS + 2

/** What is left of the bound of a hub's messages for the head, the signature and the names (FED-18). */
export const BESIDE_RECORD_OCTETS = 4_096

const VERSION = 1

/** What is signed begins with it, so that nothing signed as something else is ever taken for a batch. */
const CONTEXT = 'agentd-link-1\n'

const RULES: MemberRules = {
  v: anyOf('a whole number', Number.isSafeInteger),
  node: NODE,
  epoch: anyOf('an epoch', (value) => typeof value === 'string' && /^[A-Za-z0-9]{1,32}$/.test(value)),
  prev: PLACE_OR_NULL,
  last: PLACE_OR_NULL,
  digest: anyOf('a digest or null', (value) => value === null || shortText(128)(value) === undefined),
  clean: FLAG,
  reports: COUNT,
  sent_at: COUNT,
  authority_epoch: COUNT,
}

const HEADER = /^(?<kid>[a-z0-9-]{1,32}) (?<value>[A-Za-z0-9+/]{86}==)$/

/** @param lines - records as `formatRecord` writes them; 1 to {@link MAX_BATCH_RECORDS} */
export function formatBatch(head: BatchHead, lines: readonly string[]): string {
  return [JSON.stringify(head), ...lines].join('\n')
}

/**
 * Reads a body.
 *
 * @throws AgentdError `version-unsupported`, field `v`, for one of a later version: the lane stops there, and goes on from
 *   the same place after an upgrade; `field-missing` or `field-invalid` for what is no batch
 */
export function readBatch(text: string): Batch {
  requireText(text, 'batch', MAX_BATCH_OCTETS)
  const [first = '', ...lines] = text.split('\n', MAX_BATCH_RECORDS + 2)
  const head = readHead(first)
  if (lines.length === 0 || lines.length > MAX_BATCH_RECORDS)
    throw invalidField('batch', `must hold 1 to ${MAX_BATCH_RECORDS} records`)
  return { head, lines }
}

/**
 * The first line of a body. A later version may say all else in another way, so that is looked at before the rest.
 *
 * @throws AgentdError as {@link readBatch}
 */
export function readHead(line: string): BatchHead {
  const members = readObject(line, 'head', MAX_HEAD_OCTETS)
  const version = readMember(members, 'v')
  if (Number.isSafeInteger(version) && version !== VERSION)
    throw new AgentdError(
      'version-unsupported',
      `A machine of this realm speaks version ${String(version)} of the link, and this agentd version ${VERSION}; update it.`,
      { field: 'v' },
    )
  requireHead(members)
  return takeHead(members)
}

/** What is signed. */
export function signatureText(subject: string, body: string): string {
  return `${CONTEXT}${subject}\n${body}`
}

/** The header of a body. @param node - whose key it is; the last token of the subject */
export function signBatch(key: KeyObject, node: string, subject: string, body: string): string {
  return `${node} ${sign(null, Buffer.from(signatureText(subject, body)), key).toString('base64')}`
}

/**
 * Whether a header is the signature of this body on this subject by this key, and names the node whose subject it is.
 *
 * @param publicX - the key of that node, 32 bytes as base64url
 */
export function verifyBatch(header: string, publicX: string, subject: string, body: string): boolean {
  const { kid, value } = HEADER.exec(header)?.groups ?? {}
  const signature = readBase64(value ?? '')
  if (signature === undefined || readBase64Url(publicX)?.length !== 32) return false
  if (kid !== subject.slice(subject.lastIndexOf('.') + 1)) return false
  return verify(null, Buffer.from(signatureText(subject, body)), publicKeyOf(publicX), signature)
}

function requireHead(members: RecordMembers): asserts members is RecordMembers & BatchHead {
  requireMembers(members, RULES)
}

/** Only what this version knows; the rest is nobody's here. */
function takeHead(members: RecordMembers & BatchHead): BatchHead {
  const { v, node, epoch, prev, last, digest, clean, reports, sent_at, authority_epoch } = members
  return { v, node, epoch, prev, last, digest, clean, reports, sent_at, authority_epoch }
}
