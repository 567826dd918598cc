/**
 * What a lane carries, one line of JSON each: a frame, an envelope, a report of what became of some, or that some are to be
 * forgotten.
 *
 * A frame and an envelope are the text that their origin retains, octet for octet; facts stand beside it, never inside.
 *
 * @see FED-17; R-13, AEE-C02
 */
import { PRIORITIES, type Priority } from '../aee/envelope/envelope.ts'
import { invalidField, missingField } from '../aee/envelope/fault.ts'
import { anyOf, oneOf } from '../aee/envelope/member-rule.ts'
import { readMember, type RecordMembers } from '../aee/envelope/record.ts'
import { AgentdError, unreachable } from '../core/errors.ts'
import { MAX_ENVELOPE_OCTETS, MAX_SCOPE_OCTETS } from '../core/limits.ts'
import { octetLength, withinOctets } from '../core/text/octets.ts'
import { cutMember, type Carried } from './text/carried.ts'
import { ADDRESS, COUNT, NODE_ID, PLACE, shortText } from './text/member-rules.ts'
import { readObject, requireMembers, requireText, type MemberRules } from './text/members.ts'
import { formatItem, isItemList, readItems, type ReportItem } from './text/report.ts'

/** What stands beside a frame and an envelope. */
interface Beside {
  /** Its place at the origin, which is also what a mark counts: `6f1c-41`. */
  readonly e: string
  /** The session it came from; undefined where the person sent it. */
  readonly sender: string | undefined
  /** Tool class of that session. */
  readonly tool?: string
  /** When the origin accepted it, milliseconds since 1970 by its clock. */
  readonly at: number
}

export interface FrameRecord extends Beside {
  readonly t: 'frame'
  readonly scope: string
  /** One line of JSON, as it was retained; whoever takes it reads it. */
  readonly frameText: string
}

export interface EnvelopeRecord extends Beside {
  readonly t: 'envelope'
  readonly to: string
  /** What the origin treats it as (AEQ-27). */
  readonly priority: Priority
  readonly envelopeText: string
}

/** What became of another node's frames and envelopes at the node whose lane it is. */
export interface ReportRecord {
  readonly t: 'report'
  /** The node that the items' frames came from, by its `nodeId`. */
  readonly node: string
  readonly items: readonly ReportItem[]
  /** Items in words of a later version, which were passed over (FED-17); absent: none. */
  readonly passedOver?: number
}

/** Frames that their sender's person wants forgotten, on all of their own machines. */
export interface ForgetRecord {
  readonly t: 'forget'
  /** As the ring finds them: a frame's id, or an envelope's behind `aee:`. */
  readonly ids: readonly string[]
}

export type LinkRecord = FrameRecord | EnvelopeRecord | ReportRecord | ForgetRecord

/** A record of a sort that this version does not know: it is skipped and counted. */
export interface UnknownRecord {
  readonly t: 'unknown'
  readonly sort: string
  /** Its place, where it says one: the mark goes past it. */
  readonly e: string | undefined
}

/** What stands beside the largest text: names and numbers, each with escapes. */
const MAX_BESIDE_OCTETS = 4_096

/** One line; the largest envelope and what stands beside it. */
export const MAX_RECORD_OCTETS = MAX_ENVELOPE_OCTETS + MAX_BESIDE_OCTETS

/** Ids in one `forget`. */
export const MAX_FORGOTTEN_IDS = 1_000

/** Octets of one of them: an envelope's own, of 256 characters, behind its mark. */
const MAX_ID_OCTETS = 1_024

/** Octets of the name of a sort. */
const MAX_SORT_OCTETS = 64

const TEXT_OF_SORT = { frame: 'frame', envelope: 'envelope' } as const

const BESIDE: MemberRules = { e: PLACE, sender: ADDRESS, tool: shortText(64), at: COUNT }
const OPTIONAL: ReadonlySet<string> = new Set(['sender', 'tool'])

const RULES: Readonly<Record<LinkRecord['t'], MemberRules>> = {
  frame: { ...BESIDE, scope: shortText(MAX_SCOPE_OCTETS) },
  // An entity of an envelope has no bound of its own but the envelope's; no session has a longer one than this.
  envelope: { ...BESIDE, to: shortText(1_024), priority: oneOf(PRIORITIES) },
  report: { node: NODE_ID, items: anyOf('a list of items', isItemList) },
  forget: { ids: anyOf(`a list of 1 to ${MAX_FORGOTTEN_IDS} ids`, isIdList) },
}

/**
 * One line, without its break.
 *
 * @throws AgentdError `envelope-too-large` for what is over {@link MAX_RECORD_OCTETS}; `field-invalid` for a text that is
 *   not one line of well-formed Unicode
 */
export function formatRecord(record: LinkRecord): string {
  const line = lineOf(record)
  if (/[\r\n]/.test(line)) throw invalidField('record', 'must be one line')
  if (octetLength(line) > MAX_RECORD_OCTETS) throw tooLarge()
  if (!line.isWellFormed()) throw invalidField('record', 'must be well-formed Unicode')
  return line
}

/**
 * Reads one line. The frame or envelope in it is not looked into.
 *
 * @throws AgentdError `field-missing` or `field-invalid`, field the member, or `record`
 */
export function readRecord(line: string): LinkRecord | UnknownRecord {
  requireText(line, 'record', MAX_RECORD_OCTETS)
  const sort = sortOf(line)
  const carried = sort === undefined ? undefined : requireCarried(line, sort)
  const members = readObject(carried?.around ?? line, 'record', MAX_RECORD_OCTETS)
  const name = readMember(members, 't')
  if (typeof name !== 'string' || name.length > MAX_SORT_OCTETS)
    throw invalidField('t', `must be a name of at most ${MAX_SORT_OCTETS} characters`)
  if (!isSort(name)) return { t: 'unknown', sort: name, e: placeOf(members) }
  requireMembers(members, RULES[name], OPTIONAL)
  return takeRecord(name, members, carried?.text ?? '')
}

function lineOf(record: LinkRecord): string {
  const { t } = record
  switch (t) {
    case 'frame': {
      const { e, scope, sender, tool, at, frameText } = record
      return withText({ t, e, scope, sender, tool, at }, TEXT_OF_SORT.frame, frameText)
    }
    case 'envelope': {
      const { e, to, sender, tool, at, priority, envelopeText } = record
      return withText({ t, e, to, sender, tool, at, priority }, TEXT_OF_SORT.envelope, envelopeText)
    }
    case 'report':
      return JSON.stringify({ t, node: record.node, items: record.items.map(formatItem) })
    case 'forget':
      return JSON.stringify({ t, ids: record.ids })
    default:
      return unreachable(t)
  }
}

/** The text stands last, verbatim. */
function withText(beside: Readonly<Record<string, unknown>>, name: string, text: string): string {
  return `${JSON.stringify(beside).slice(0, -1)},"${name}":${text}}`
}

/** The value of `t` where it is one of ours, spelled without escapes; the rest is read whole. */
function sortOf(line: string): keyof typeof TEXT_OF_SORT | undefined {
  const name = cutMember(line, 't')?.text
  if (name === '"frame"') return 'frame'
  return name === '"envelope"' ? 'envelope' : undefined
}

function requireCarried(line: string, sort: keyof typeof TEXT_OF_SORT): Carried {
  const carried = cutMember(line, TEXT_OF_SORT[sort])
  if (carried === undefined) throw missingField(TEXT_OF_SORT[sort])
  return carried
}

function takeRecord(t: LinkRecord['t'], members: RecordMembers, text: string): LinkRecord {
  const textOf = (name: string): string => String(readMember(members, name))
  const [sender, tool] = [readMember(members, 'sender'), readMember(members, 'tool')]
  const beside = {
    e: textOf('e'),
    sender: typeof sender === 'string' ? sender : undefined,
    ...(typeof tool === 'string' && { tool }),
    at: Number(readMember(members, 'at')),
  }
  switch (t) {
    case 'frame':
      return { t, ...beside, scope: textOf('scope'), frameText: text }
    case 'envelope':
      return { t, ...beside, to: textOf('to'), priority: priorityIn(members), envelopeText: text }
    case 'report':
      return takeReport(members)
    case 'forget':
      return { t, ids: idsIn(members) }
    default:
      return unreachable(t)
  }
}

function takeReport(members: RecordMembers): ReportRecord {
  const listed = readMember(members, 'items')
  const items = readItems(listed)
  const passedOver = (Array.isArray(listed) ? listed.length : 0) - items.length
  const node = String(readMember(members, 'node'))
  return { t: 'report', node, items, ...(passedOver > 0 && { passedOver }) }
}

function priorityIn(members: RecordMembers): Priority {
  return PRIORITIES.find((priority) => priority === readMember(members, 'priority')) ?? 'normal'
}

function idsIn(members: RecordMembers): readonly string[] {
  const ids: unknown = readMember(members, 'ids')
  return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : []
}

function isIdList(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length >= 1 &&
    value.length <= MAX_FORGOTTEN_IDS &&
    value.every((id) => typeof id === 'string' && withinOctets(id, 1, MAX_ID_OCTETS))
  )
}

function placeOf(members: RecordMembers): string | undefined {
  const place = readMember(members, 'e')
  return PLACE(place) === undefined ? String(place) : undefined
}

function isSort(name: string): name is LinkRecord['t'] {
  return Object.hasOwn(RULES, name)
}

function tooLarge(): AgentdError {
  return new AgentdError('envelope-too-large', `A record is at most ${MAX_RECORD_OCTETS} octets.`, {
    field: 'record',
  })
}
