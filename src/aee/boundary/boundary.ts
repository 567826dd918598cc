/**
 * What may leave this machine, or enter it, and in which shape: the gate where an envelope crosses from or to somebody else's.
 *
 * It fails closed. Only listed intents pass, so with none listed nothing does; what passes is without the
 * parts the person keeps, no more urgent than allowed, and valid once more.
 *
 * @see draft-cowles-aee-00 §11.5, AEE-093, AEE-095
 */
import { orRefusal } from '../../core/thrown.ts'
import { AgentdError, UsageError } from '../../core/errors.ts'
import { decodeEnvelopeText, PRIORITIES } from '../envelope/envelope.ts'
import type { Envelope, Priority } from '../envelope/envelope.ts'
import { coversIntent, isIntentPattern } from '../schemas/intent-pattern.ts'
import type { RecordMembers } from '../envelope/record.ts'
import { readRedactionPath, redact } from './redaction.ts'

/** Which way an envelope crosses. */
export type CrossingWay = 'leave' | 'enter'

/** Where the intents are listed that may. */
const LISTS = {
  leave: '--intents, or aee.boundary.intents of the configuration',
  enter: 'aee.inbound.intents of the configuration',
} satisfies Record<CrossingWay, string>

/** What the person lets out, or in. */
export interface BoundaryRules {
  /** Intents, exact or `prefix.*`; `*` is all of them. */
  readonly intents: readonly string[]
  /** Paths of what is blacked out, as `redaction.ts` reads them; at most `MAX_REDACTIONS`. */
  readonly redact: readonly string[]
  /** Anything more urgent crosses as this. */
  readonly maxPriority: Priority
}

/** What became of an envelope at the boundary. */
export type Crossing =
  /** `why` is a sentence. */
  | { readonly kind: 'refused'; readonly why: string }
  | {
      readonly kind: 'passed'
      readonly envelope: Envelope
      /** The envelope as one line of JSON. */
      readonly text: string
      /** The paths that led to something; what was there is told nobody. */
      readonly redacted: readonly string[]
      /** False when nothing was taken out or capped: then the text as it first came may be forwarded. */
      readonly isChanged: boolean
    }

/** Paths of one set of rules; each walks the whole payload. */
export const MAX_REDACTIONS = 256

/**
 * Checks rules where they are configured, before the first envelope needs them.
 *
 * @throws UsageError with a sentence that names the intent or the path
 */
export function requireBoundaryRules({ intents, redact: paths }: BoundaryRules): void {
  const broken = intents.find((intent) => !isIntentPattern(intent))
  if (broken !== undefined)
    throw new UsageError(`"${broken}" is neither an intent nor a prefix ending in ".*".`)
  if (paths.length > MAX_REDACTIONS) throw new UsageError(`At most ${MAX_REDACTIONS} paths can be redacted.`)
  for (const path of paths) readRedactionPath(path)
}

/**
 * Decides about one envelope. A redacted one loses its signature, which no longer holds; a capped one keeps it,
 * since signatures do not bind the priority (AEQ-14).
 *
 * @throws UsageError as {@link requireBoundaryRules}: nothing crosses under rules that cannot be read
 */
export function crossBoundary(
  envelope: Envelope,
  rules: BoundaryRules,
  way: CrossingWay = 'leave',
): Crossing {
  requireBoundaryRules(rules)
  const refusal = refusalOf(envelope.intent, rules.intents, way)
  if (refusal !== undefined) return { kind: 'refused', why: refusal }
  const { members, redacted } = redactAll(envelope, rules.redact)
  const priority = capped(envelope.priority, rules.maxPriority)
  const text = JSON.stringify({ ...members, priority, ...(redacted.length > 0 && { sig: null }) })
  // Parsed again from what will be sent: a redaction may have broken a rule or outgrown the bound.
  const passed = orRefusal(() => decodeEnvelopeText(text))
  if (passed instanceof AgentdError) return { kind: 'refused', why: passed.message }
  const isChanged = redacted.length > 0 || priority !== envelope.priority
  return { kind: 'passed', ...passed, redacted, isChanged }
}

function refusalOf(intent: string, allowed: readonly string[], way: CrossingWay): string | undefined {
  if (allowed.length === 0)
    return `Nothing may ${way}: the list of intents that may is empty (${LISTS[way]}).`
  if (allowed.some((pattern) => coversIntent(pattern, intent))) return undefined
  return `"${intent}" is not on the list of what may ${way} (${LISTS[way]}); add it there if it should.`
}

interface Redacted {
  readonly members: RecordMembers
  readonly redacted: readonly string[]
}

function redactAll(envelope: Envelope, paths: readonly string[]): Redacted {
  let members: RecordMembers = envelope
  const redacted: string[] = []
  for (const path of paths) {
    const after = redact(members, readRedactionPath(path))
    if (after !== members) redacted.push(path)
    members = after
  }
  return { members, redacted }
}

function capped(priority: Priority, max: Priority): Priority {
  return PRIORITIES.indexOf(priority) > PRIORITIES.indexOf(max) ? max : priority
}
