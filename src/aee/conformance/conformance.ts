/**
 * How far a text conforms to the draft, rule by rule, and the lesser level that is good for logs.
 *
 * @see draft-cowles-aee-00 §7, AEE-041…AEE-043, AEE-C19
 */
import { orRefusal } from '../../core/thrown.ts'
import { AgentdError } from '../../core/errors.ts'
import { memberFault, requireVersion, type EnvelopeType } from '../envelope/envelope.ts'
import { invalidField, missingField, toSentence } from '../envelope/fault.ts'
import { requireNames } from '../envelope/names.ts'
import { RECOMMENDATIONS } from './recommendations.ts'
import { decodeRecord, decodeRecordText, readMember, type RecordMembers } from '../envelope/record.ts'
import { LOG_FIELDS, STRUCTURE_RULES, isLogRecord, type StructureRule } from './structure.ts'

/** How one rule came out. `fail` makes an envelope invalid, `warn` departs from a recommendation. */
export interface RuleResult {
  /** Names the rule, in agentd's numbers for the clauses of the draft. */
  readonly rule: string
  /** The member as a dotted path; absent when the rule is about the whole. */
  readonly field?: string
  /** Whether the text keeps it. */
  readonly outcome: 'pass' | 'fail' | 'warn'
  /** What is wrong or right, as a sentence. */
  readonly message: string
}

/** The level a text may claim, and why. */
export interface ConformanceReport {
  /** `MVE-Required`: a valid envelope (AEE-041). `MVE-5`: good for logs only (AEE-042). */
  readonly level: 'MVE-Required' | 'MVE-5' | 'none'
  /** Rules that do not apply to this text are left out. */
  readonly rules: readonly RuleResult[]
}

/** A line of a log: five members that hold, and whatever else was there (AEE-042). */
export interface LogLine {
  readonly v: '1'
  readonly id: string
  readonly type: EnvelopeType
  readonly from: string
  readonly intent: string
  readonly [name: string]: unknown
}

/**
 * Judges a text by every rule that can be judged without knowing the intent. Never throws.
 *
 * A text that this daemon would refuse as an envelope never has the level `MVE-Required`, and the other way round.
 */
export function checkConformance(text: string): ConformanceReport {
  const read = orRefusal(() => decodeRecordText(text).record)
  if (read instanceof AgentdError) return { level: 'none', rules: [malformation(read)] }
  const structure = STRUCTURE_RULES.flatMap((rule) => judge(rule, read, 'fail'))
  const isValid = structure.every(({ outcome }) => outcome === 'pass')
  const schema: RuleResult = {
    rule: 'AEE-023',
    outcome: isValid ? 'pass' : 'fail',
    message: isValid ? 'The envelope is valid.' : 'The envelope is not valid.',
  }
  return {
    level: isValid ? 'MVE-Required' : isLogRecord(read) ? 'MVE-5' : 'none',
    rules: [
      { rule: 'AEE-001', outcome: 'pass', message: 'The text is one JSON object.' },
      ...structure,
      schema,
      ...RECOMMENDATIONS.flatMap((rule) => judge(rule, read, 'warn')),
    ],
  }
}

/**
 * Reads a line that is for the log only, and is never routed (AEE-043, AEE-C19).
 *
 * @throws AgentdError as `decodeEnvelope`, about the five members of MVE-5; the others may be anything
 */
export function decodeLogLine(bytes: Uint8Array): LogLine {
  const { record } = decodeRecord(bytes)
  requireLogLine(record)
  return record
}

function requireLogLine(record: RecordMembers): asserts record is RecordMembers & LogLine {
  requireVersion(record)
  for (const field of LOG_FIELDS) if (readMember(record, field) === undefined) throw missingField(field)
  for (const field of LOG_FIELDS) {
    const fault = memberFault(field, readMember(record, field))
    if (fault !== undefined) throw invalidField(field, fault)
  }
  requireNames(record, LOG_FIELDS)
}

/** What is no JSON object breaks the draft's first rule; what is too large, only ours. */
function malformation({ code, message }: AgentdError): RuleResult {
  return { rule: code === 'envelope-too-large' ? 'AEQ-24' : 'AEE-001', outcome: 'fail', message }
}

function judge(
  { rule, field, check }: StructureRule,
  record: RecordMembers,
  worst: 'fail' | 'warn',
): RuleResult[] {
  const findings = check(record)
  if (findings === undefined) return []
  if (findings.length > 0) {
    return findings.map((finding) => ({
      rule,
      field: finding.field,
      outcome: worst,
      message: toSentence(finding),
    }))
  }
  const message = field === undefined ? 'The envelope is as it should be.' : `"${field}" is as it should be.`
  return [{ rule, ...(field !== undefined && { field }), outcome: 'pass', message }]
}
