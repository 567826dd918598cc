/**
 * The structural rules of the draft, one by one, for a report; `parseEnvelope` stops at the first.
 *
 * @see draft-cowles-aee-00 §§3, 6, 7.1; docs/requirements.md §7.1
 */
import {
  REQUIRED_FIELDS,
  answerFault,
  isAnswer,
  memberFault,
  traceFindings,
  type EnvelopeField,
} from '../envelope/envelope.ts'
import type { ConformanceFinding } from '../envelope/fault.ts'
import { NAMES, NAME_RULE, illFormedNames } from '../envelope/names.ts'
import { readMember, type RecordMembers } from '../envelope/record.ts'

/** One rule over one object: what breaks it, or nothing. Undefined where the rule does not apply. */
export interface StructureRule {
  /** The requirement's id. */
  readonly rule: string
  /** The member it is about; the whole, when there is none. */
  readonly field?: string
  readonly check: (record: RecordMembers) => readonly ConformanceFinding[] | undefined
}

/** Member → the requirement that says what it is; the conditional half of `reply_to` follows below. */
const MEMBER_RULES: readonly (readonly [EnvelopeField, string])[] = [
  ['v', 'AEE-003'],
  ['id', 'AEE-004'],
  ['ts', 'AEE-006'],
  ['type', 'AEE-008'],
  ['from', 'AEE-009'],
  ['to', 'AEE-010'],
  ['intent', 'AEE-011'],
  ['corr', 'AEE-012'],
  ['reply_to', 'AEQ-03'],
  ['trace', 'AEE-015'],
  ['priority', 'AEE-016'],
  ['requires', 'AEE-017'],
  ['payload', 'AEE-020'],
  ['sig', 'AEE-021'],
]

/** What makes an envelope valid, in table order; together they say what `decodeEnvelopeText` says. */
export const STRUCTURE_RULES: readonly StructureRule[] = [
  { rule: 'AEE-036', check: missingFindings },
  ...MEMBER_RULES.map(([field, rule]) => ({
    rule,
    field,
    check: (record: RecordMembers) => memberFindings(record, field),
  })),
  { rule: 'AEE-013', field: 'reply_to', check: answerFindings },
  { rule: 'AEE-C23', field: 'trace', check: traceIdFindings },
  // Beyond the schema: what serves as a name has to survive being written down.
  { rule: 'AEQ-24', check: nameFindings },
]

/** The five members that a line of a log has (AEE-042). */
export const LOG_FIELDS = ['v', 'id', 'type', 'from', 'intent'] as const satisfies readonly EnvelopeField[]

/** Whether an object has the five of MVE-5 and each is valid; the others may be anything (AEE-042). */
export function isLogRecord(record: RecordMembers): boolean {
  return (
    LOG_FIELDS.every((field) => memberFault(field, readMember(record, field)) === undefined) &&
    illFormedNames(record, LOG_FIELDS).length === 0
  )
}

function missingFindings(record: RecordMembers): readonly ConformanceFinding[] {
  return REQUIRED_FIELDS.filter((field) => readMember(record, field) === undefined).map((field) => ({
    field,
    rule: 'is required',
  }))
}

/** What is missing is the business of AEE-036. */
function memberFindings(
  record: RecordMembers,
  field: EnvelopeField,
): readonly ConformanceFinding[] | undefined {
  const value = readMember(record, field)
  if (value === undefined) return undefined
  return toFindings(field, memberFault(field, value))
}

function answerFindings(record: RecordMembers): readonly ConformanceFinding[] | undefined {
  const type = readMember(record, 'type')
  if (!isAnswer(type)) return undefined
  const fault = answerFault(readMember(record, 'reply_to'))
  return toFindings(
    'reply_to',
    fault && `${fault}, since this is ${type === 'error' ? 'an error' : 'a result'}`,
  )
}

function traceIdFindings(record: RecordMembers): readonly ConformanceFinding[] | undefined {
  const trace = readMember(record, 'trace')
  return trace === undefined || trace === null ? undefined : traceFindings(trace)
}

function nameFindings(record: RecordMembers): readonly ConformanceFinding[] {
  return illFormedNames(record, NAMES).map((field) => ({ field, rule: NAME_RULE }))
}

function toFindings(field: string, fault: string | undefined): readonly ConformanceFinding[] {
  return fault === undefined ? [] : [{ field, rule: fault }]
}
