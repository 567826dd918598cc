/**
 * The AEE envelope, version 1: fourteen defined members, ten of them required, any others kept as they came.
 *
 * `decodeEnvelope` is the only way in. Its checks are written out by hand and agree with the published schema,
 * because every envelope on the bus passes here.
 *
 * @see draft-cowles-aee-00 §§3, 6; docs/requirements.md §§7.1, 7.3; AEQ-01…AEQ-12
 */
import { AgentdError } from '../../core/errors.ts'
import { invalidField, missingField, type ConformanceFinding } from './fault.ts'
import { anyOf, isNull, isObject, isText, oneOf, textRule, type MemberRule } from './member-rule.ts'
import { NAMES, requireNames } from './names.ts'
import { decodeRecord, decodeRecordText, readMember, requireRecord } from './record.ts'
import type { DecodedRecord, RecordMembers } from './record.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** What a message is for; exactly five (AEE-008). */
export const TYPES = ['task', 'result', 'event', 'error', 'stream'] as const
/** What a message is for; exactly five. */
export type EnvelopeType = (typeof TYPES)[number]

/** From what can wait to what cannot (AEE-016). */
export const PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const
/** From what can wait to what cannot. */
export type Priority = (typeof PRIORITIES)[number]

/** Where a message stands in a distributed trace; further members are kept (AEE-015, AEQ-11). */
export interface Trace {
  /** The trace, 32 hex digits. */
  readonly trace_id?: string
  /** The span in it, 16 hex digits. */
  readonly span_id?: string
  /** Whatever else was there. */
  readonly [name: string]: unknown
}

/** A structurally valid envelope, as it was parsed: no member is added, renamed or dropped (AEE-C02). */
export interface Envelope {
  /** The version of the form. */
  readonly v: '1'
  /** Names the envelope: 8 characters or more, a ULID as a rule. What is sent twice under one is accepted once. */
  readonly id: string
  /** When it was made, RFC 3339. */
  readonly ts: string
  /** What the message is for. */
  readonly type: EnvelopeType
  /** The entity that sends it. */
  readonly from: string
  /** The entity, or the channel, that it is for. */
  readonly to: string
  /** What is to be done or has happened, as a dotted name such as `ops.backup.check`. */
  readonly intent: string
  /** Names the workflow it belongs to: 8 characters or more. */
  readonly corr: string
  /** A string of 8 characters or more on a result or an error; on the others anything goes (AEQ-03). */
  readonly reply_to?: string | null
  /** Its place in a distributed trace; absent or null, in none. */
  readonly trace?: Trace | null
  /** How soon it wants to be looked at. */
  readonly priority: Priority
  /** What it asks of whoever takes it, such as `timeout_ms`; absent or null, nothing. */
  readonly requires?: Readonly<Record<string, unknown>> | null
  /** What it carries; its shape is the intent's. */
  readonly payload: Readonly<Record<string, unknown>>
  /** The signature over it, an object or a detached JWS; absent or null, unsigned. */
  readonly sig?: Readonly<Record<string, unknown>> | string | null
  /** Members that the form does not define; they are kept. */
  readonly [name: string]: unknown
}

/** An envelope and the one line of text it came as, which is what recipients get. */
export interface DecodedEnvelope {
  /** What the text says. */
  readonly envelope: Envelope
  /** What came, byte for byte, save that line breaks between tokens are spaces and nothing surrounds it. */
  readonly text: string
}

/** Member → what it must be when it is there, in table order (AEE-002), which is also the order of faults. */
const RULES = {
  v: (value: unknown) => (value === '1' ? undefined : 'must be the string "1"'),
  id: textRule(8),
  ts: textRule(10),
  type: oneOf(TYPES),
  from: textRule(1),
  to: textRule(1),
  intent: textRule(3),
  corr: textRule(8),
  reply_to: anyOf('a string or null', isText, isNull),
  trace: anyOf('an object or null', isObject, isNull),
  priority: oneOf(PRIORITIES),
  requires: anyOf('an object or null', isObject, isNull),
  payload: anyOf('a JSON object', isObject),
  sig: anyOf('an object, a string or null', isObject, isText, isNull),
} satisfies Readonly<Record<string, MemberRule>>

/** A member that AEE defines. */
export type EnvelopeField = keyof typeof RULES

const RULE_ROWS: readonly (readonly [string, MemberRule])[] = Object.entries(RULES)

/** The fourteen defined members, in table order (AEE-002). */
export const ENVELOPE_FIELDS: readonly string[] = Object.keys(RULES)

/** The ten that every envelope has, in the order in which a missing one is reported (AEE-036). */
export const REQUIRED_FIELDS: readonly string[] = [
  'v',
  'id',
  'ts',
  'type',
  'from',
  'to',
  'intent',
  'corr',
  'priority',
  'payload',
]

/** The members of a trace that AEE defines. */
const TRACE_IDS = ['trace_id', 'span_id']

/** The least a `reply_to` of a result or an error holds, in characters (AEE-013). */
const MIN_REPLY_TO = 8

const replyToRule = textRule(MIN_REPLY_TO)

/**
 * Reads an envelope as it came over the wire.
 *
 * Refusals come in the order of docs/requirements.md §8: the text, `v`, what is missing, what is invalid. Beyond the
 * schema, names have to be well-formed Unicode (`names.ts`).
 *
 * @throws AgentdError `envelope-too-large` or `envelope-malformed`, field `envelope` (AEQ-24), and as
 *   {@link parseEnvelope}
 */
export function decodeEnvelope(bytes: Uint8Array): DecodedEnvelope {
  return readEnvelope(decodeRecord(bytes))
}

/** As {@link decodeEnvelope}, from text. */
export function decodeEnvelopeText(text: string): DecodedEnvelope {
  return readEnvelope(decodeRecordText(text))
}

/**
 * Reads an envelope from a parsed value; agrees with `ENVELOPE_SCHEMA` on what is one.
 *
 * @returns the very same object
 * @throws AgentdError `envelope-malformed` (no object), `version-unsupported` (AEQ-08), `field-missing` in the
 *   order of AEE-036 and then `reply_to`, `field-invalid` in the order of AEE-002
 */
export function parseEnvelope(value: unknown): Envelope {
  requireEnvelope(value)
  return value
}

/** What a member must be and is not, as the end of a sentence; undefined when it is valid. */
export function memberFault(field: EnvelopeField, value: unknown): string | undefined {
  return RULES[field](value)
}

/** What the `reply_to` of a result or an error must be and is not (AEE-013). */
export function answerFault(replyTo: unknown): string | undefined {
  return replyToRule(replyTo)
}

/** The ids of a trace that are there and are not strings (AEQ-11, AEE-C23). */
export function traceFindings(trace: unknown): readonly ConformanceFinding[] {
  if (!isJsonObject(trace)) return []
  return TRACE_IDS.filter((name) => {
    const id = readMember(trace, name)
    return id !== undefined && typeof id !== 'string'
  }).map((name) => ({ field: `trace.${name}`, rule: 'must be a string' }))
}

/** Whether messages of a type answer one, and so have to say which (AEE-026, AEE-028). */
export function isAnswer(type: unknown): boolean {
  return type === 'result' || type === 'error'
}

/**
 * Refuses an object that is not of version 1.
 *
 * @throws AgentdError `field-missing`, `field-invalid` (no string) or `version-unsupported`, field `v` (AEQ-08)
 */
export function requireVersion(record: RecordMembers): void {
  const version = readMember(record, 'v')
  if (version === '1') return
  if (version === undefined) throw missingField('v')
  if (typeof version !== 'string') throw invalidField('v', 'must be the string "1"')
  throw new AgentdError('version-unsupported', 'This daemon speaks AEE version "1".', { field: 'v' })
}

/** The length of a string in characters: Unicode code points, as JSON Schema counts (AEQ-07). */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

function readEnvelope({ record, text }: DecodedRecord): DecodedEnvelope {
  const envelope = parseEnvelope(record)
  requireNames(record, NAMES)
  return { envelope, text }
}

function requireEnvelope(value: unknown): asserts value is Envelope {
  const record = requireRecord(value)
  requireVersion(record)
  const isReply = isAnswer(readMember(record, 'type'))
  for (const field of REQUIRED_FIELDS) if (readMember(record, field) === undefined) throw missingField(field)
  if (isReply && readMember(record, 'reply_to') === undefined) throw missingField('reply_to')
  for (const [field, rule] of RULE_ROWS) {
    const member = readMember(record, field)
    if (member === undefined) continue
    const fault = isReply && field === 'reply_to' ? replyToRule(member) : rule(member)
    if (fault !== undefined) throw invalidField(field, fault)
    if (field === 'trace') requireTraceIds(member)
  }
}

/** @throws AgentdError `field-invalid`, field `trace.trace_id` or `trace.span_id` (AEQ-11, AEE-C23) */
function requireTraceIds(trace: unknown): void {
  for (const { field, rule } of traceFindings(trace)) throw invalidField(field, rule)
}
