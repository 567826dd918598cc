/**
 * `requires`: what the sender asks of the work. Its keys are open; five have a meaning in the draft, and one in a
 * companion.
 *
 * A known key of the wrong type leaves the envelope valid and counts as absent (AEQ-09).
 *
 * @see AEE-017, AEE-018, AEE-C09
 */
import type { ConformanceFinding } from './fault.ts'
import { readMember, type RecordMembers } from './record.ts'

interface KnownKey {
  readonly admits: (value: unknown) => boolean
  /** The end of a sentence. */
  readonly rule: string
}

const BOOLEAN: KnownKey = { admits: (value) => typeof value === 'boolean', rule: 'must be true or false' }

/** The draft's common keys (AEE-017). */
const COMMON_KEYS = {
  timeout_ms: { admits: isDuration, rule: 'must be a number of milliseconds, 0 or more' },
  human_approval: BOOLEAN,
  evidence: BOOLEAN,
  format: { admits: (value: unknown) => typeof value === 'string', rule: 'must be a string' },
  min_confidence: { admits: isShare, rule: 'must be a number from 0 to 1' },
} satisfies Readonly<Record<string, KnownKey>>

const COMMON_ROWS: readonly (readonly [string, KnownKey])[] = Object.entries(COMMON_KEYS)

/** How much of a decision an answer shows (AEE-C09). */
const DECISION_EVIDENCE = ['none', 'minimal', 'standard', 'full']

/** Common keys that do not hold what they are for. */
export function requiresFindings(requires: RecordMembers): readonly ConformanceFinding[] {
  return COMMON_ROWS.flatMap(([name, { admits, rule }]) => {
    const value = readMember(requires, name)
    return value === undefined || admits(value) ? [] : [{ field: `requires.${name}`, rule }]
  })
}

/** As {@link requiresFindings}, of the companion's key, which the draft has as unknown and so never refuses. */
export function companionFindings(requires: RecordMembers): readonly ConformanceFinding[] {
  const level = readMember(requires, 'decision_evidence')
  if (level === undefined || DECISION_EVIDENCE.some((known) => known === level)) return []
  return [{ field: 'requires.decision_evidence', rule: `must be one of ${DECISION_EVIDENCE.join(', ')}` }]
}

/** Whether a key of `requires` has a meaning that anybody wrote down. */
export function isKnownRequirement(name: string): boolean {
  return name === 'decision_evidence' || Object.hasOwn(COMMON_KEYS, name)
}

/** Whether a value can be a `timeout_ms`. */
export function isDuration(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function isShare(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= 1
}
