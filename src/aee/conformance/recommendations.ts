/**
 * What the draft recommends beyond a valid structure, one by one, for a report.
 *
 * Every check takes any object: an envelope with a fault in one member can be told about the others.
 *
 * @see draft-cowles-aee-00 §§3…11; docs/requirements.md §§7, 7.9
 */
import { errorFindings, isReservedIntent, secretFindings } from './advice.ts'
import { ENVELOPE_FIELDS, isAnswer } from '../envelope/envelope.ts'
import { nameInPath, type ConformanceFinding } from '../envelope/fault.ts'
import { readMoment } from '../envelope/moment.ts'
import { readMember, type RecordMembers } from '../envelope/record.ts'
import { referenceFinding } from '../thread/references.ts'
import { companionFindings, isKnownRequirement, requiresFindings } from '../envelope/requires.ts'
import { LOG_FIELDS, isLogRecord, type StructureRule } from './structure.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** A ULID, or a UUID of any version (AEE-005). */
const UNIQUE_ID = /^(?:[0-7][\dA-HJKMNP-TV-Z]{25}|[\dA-F]{8}-(?:[\dA-F]{4}-){3}[\dA-F]{12})$/i

/** UTC, as a timestamp says it. */
const UTC = /(?:Z|[+-]00:00)$/i

/** `<type>.<name>`, or any dotted name of more parts. */
const DOTTED = /^[^\s.]+(?:\.[^\s.]+)+$/

/** What a compact `requires` may be, as JSON (AEE-019). */
const MAX_REQUIRES_LENGTH = 1_024

/** Findings of one rule; of an object with a thousand strangers, the first few make the point. */
const MAX_FINDINGS = 8

/** What one member should be, and how that is said. */
interface Wish {
  readonly isMet: (value: unknown) => boolean
  /** The end of a sentence. */
  readonly says: string
}

const DOTTED_ENTITY: Wish = { isMet: isDotted, says: 'should be <type>.<name>, such as agent.reviewer' }

/** A rule about one member that is there and is not null. */
function about(field: string, rule: string, wish: Wish): StructureRule {
  return {
    rule,
    field,
    check: (record) => {
      const value = readMember(record, field) ?? undefined
      if (value === undefined) return undefined
      return wish.isMet(value) ? [] : [{ field, rule: wish.says }]
    },
  }
}

/** What the draft recommends, by number. */
export const RECOMMENDATIONS: readonly StructureRule[] = [
  about('id', 'AEE-005', { isMet: isUniqueId, says: 'should be a ULID or a UUID' }),
  about('ts', 'AEE-007', { isMet: isUtc, says: 'should be ISO 8601 in UTC, such as 2025-12-14T03:45:12Z' }),
  { rule: 'AEE-014', field: 'reply_to', check: lineage },
  { rule: 'AEE-018', field: 'requires', check: ofRequires(strangersOf) },
  about('requires', 'AEE-019', {
    isMet: isCompact,
    says: `should be compact: at most ${MAX_REQUIRES_LENGTH} characters`,
  }),
  { rule: 'AEE-029', field: 'payload', check: errorMembers },
  about('from', 'AEE-032', DOTTED_ENTITY),
  about('to', 'AEE-032', DOTTED_ENTITY),
  { rule: 'AEE-038', check: strangers },
  { rule: 'AEE-040', field: 'trace', check: traceIds },
  { rule: 'AEE-047', field: 'sig', check: signatureForm },
  about('intent', 'AEE-052', { isMet: isDotted, says: 'should be a dotted name, such as ops.backup.check' }),
  about('intent', 'AEE-066', { isMet: isFree, says: 'should not lie in aee.*, which is reserved' }),
  { rule: 'AEE-069', field: 'payload', check: references },
  { rule: 'AEE-076', field: 'payload', check: nestedEnvelopes },
  { rule: 'AEE-089', field: 'requires', check: ofRequires(secretFindings) },
  { rule: 'AEE-C03', check: unsaid },
  { rule: 'AEE-C09', field: 'requires', check: ofRequires(companionFindings) },
  { rule: 'AEQ-09', field: 'requires', check: ofRequires(requiresFindings) },
]

function ofRequires(
  check: (requires: RecordMembers) => readonly ConformanceFinding[],
): StructureRule['check'] {
  return (record) => {
    const requires = readMember(record, 'requires')
    return isJsonObject(requires) ? check(requires) : undefined
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isDotted(value: unknown): boolean {
  return isText(value) && DOTTED.test(value)
}

function isUniqueId(id: unknown): boolean {
  return isText(id) && UNIQUE_ID.test(id)
}

function isUtc(ts: unknown): boolean {
  return isText(ts) && UTC.test(ts) && readMoment(ts) !== undefined
}

function isFree(intent: unknown): boolean {
  return !isText(intent) || !isReservedIntent(intent)
}

function isCompact(requires: unknown): boolean {
  return JSON.stringify(requires).length <= MAX_REQUIRES_LENGTH
}

/** The draft would rather have null; lineage on a delegated task or an event is normal all the same (AEE-C11). */
function lineage(record: RecordMembers): readonly ConformanceFinding[] | undefined {
  if (isAnswer(readMember(record, 'type'))) return undefined
  if ((readMember(record, 'reply_to') ?? null) === null) return []
  return [{ field: 'reply_to', rule: 'is set; the draft has it null on anything but a result or an error' }]
}

function traceIds(record: RecordMembers): readonly ConformanceFinding[] | undefined {
  const trace = readMember(record, 'trace')
  if (!isJsonObject(trace)) return undefined
  const missing = ['trace_id', 'span_id'].filter((name) => readMember(trace, name) === undefined)
  return missing.map((name) => ({ field: `trace.${name}`, rule: 'should be there when there is a trace' }))
}

function errorMembers(record: RecordMembers): readonly ConformanceFinding[] | undefined {
  const payload = readMember(record, 'payload')
  return readMember(record, 'type') === 'error' && isJsonObject(payload) ? errorFindings(payload) : undefined
}

function strangersOf(requires: RecordMembers): readonly ConformanceFinding[] {
  return Object.keys(requires)
    .filter((name) => !isKnownRequirement(name))
    .slice(0, MAX_FINDINGS)
    .map((name) => ({
      field: `requires.${nameInPath(name)}`,
      rule: 'is not one of the common keys; who does not know it ignores it',
    }))
}

function strangers(record: RecordMembers): readonly ConformanceFinding[] {
  return Object.keys(record)
    .filter((name) => !ENVELOPE_FIELDS.includes(name))
    .slice(0, MAX_FINDINGS)
    .map((name) => ({ field: nameInPath(name), rule: 'is not defined; it is kept, and otherwise ignored' }))
}

function signatureForm(record: RecordMembers): readonly ConformanceFinding[] | undefined {
  const sig = readMember(record, 'sig') ?? undefined
  if (sig === undefined) return undefined
  const members = isJsonObject(sig) ? sig : {}
  return ['alg', 'kid', 'value']
    .filter((name) => !isText(readMember(members, name)))
    .map((name) => ({ field: `sig.${name}`, rule: 'should be a string in an object of alg, kid and value' }))
}

function references(record: RecordMembers): readonly ConformanceFinding[] | undefined {
  const payload = readMember(record, 'payload')
  if (!isJsonObject(payload) || readMember(payload, 'references') === undefined) return undefined
  const finding = referenceFinding(payload)
  return finding === undefined ? [] : [finding]
}

/** An archive in a result is the exception (AEE-077). */
function nestedEnvelopes(record: RecordMembers): readonly ConformanceFinding[] | undefined {
  const payload = readMember(record, 'payload')
  if (!isJsonObject(payload) || readMember(record, 'type') === 'result') return undefined
  return Object.entries(payload)
    .filter(([, member]) => isJsonObject(member) && isLogRecord(member))
    .slice(0, MAX_FINDINGS)
    .map(([name]) => ({
      field: `payload.${nameInPath(name)}`,
      rule: 'is an envelope; refer to it in payload.references instead',
    }))
}

/** Consumers that are strict about their libraries want all fourteen, null where there is nothing (AEE-C03). */
function unsaid(record: RecordMembers): readonly ConformanceFinding[] | undefined {
  // A line of a log has five members, and is not meant to have more.
  if (Object.keys(record).length <= LOG_FIELDS.length) return undefined
  return ['reply_to', 'trace', 'requires', 'sig']
    .filter((field) => readMember(record, field) === undefined)
    .map((field) => ({ field, rule: 'should be said, as null where there is nothing' }))
}
