/**
 * Advice on a valid envelope: what the draft recommends and nothing refuses, unless the person wants it strict.
 *
 * @see docs/requirements.md §8: AEQ-03, AEQ-06, AEQ-09, AEQ-10, AEQ-17; AEE-029, AEE-069, AEE-081, AEE-089
 */
import { AgentdError } from '../../core/errors.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { MAX_FUTURE_MS, MAX_PAST_MS } from '../../core/limits.ts'
import { answerFault, isAnswer, type Envelope } from '../envelope/envelope.ts'
import { toSentence, type ConformanceFinding } from '../envelope/fault.ts'
import { isAeeIntent } from '../intents/intents.ts'
import { readMoment } from '../envelope/moment.ts'
import { readMember, type RecordMembers } from '../envelope/record.ts'
import { referenceFinding } from '../thread/references.ts'
import { companionFindings, isDuration, requiresFindings } from '../envelope/requires.ts'
import { findSecrets } from './secrets.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** One thing to know about an envelope that was taken; the wire has it under `warnings`. */
export interface Advice {
  readonly code: ErrorCode
  readonly field?: string
  readonly message: string
  /** Whether the strict profile refuses the envelope for it, with this code. */
  readonly isStrict: boolean
}

/** The namespace that is not for applications (AEE-057, AEE-066). */
const RESERVED_PREFIX = 'aee.'

/** Extensions have a namespace of their own in there (AEE-C10). */
const EXTENSION_PREFIX = 'aee.ext.'

/** What the repository itself sends beside the seven (AEQ-17). */
const EXPLAINER = 'aee.protocol.explainer'

/** What an error's payload should tell (AEE-029). */
const ERROR_MEMBERS = [
  ['code', 'string'],
  ['message', 'string'],
  ['retryable', 'boolean'],
] as const

/** What there is to say about an envelope, in the order of its members; most have nothing. */
export function adviceOn(envelope: Envelope): readonly Advice[] {
  return [
    ...strictly(timestampFindings(envelope)),
    ...intentAdvice(envelope),
    ...leniently(lineageFindings(envelope)),
    ...requiresAdvice(envelope),
    ...payloadAdvice(envelope),
  ]
}

/**
 * Refuses an envelope whose time is known and implausible; a `ts` that is no time passes (AEQ-06).
 *
 * @throws AgentdError `timestamp-stale`, field `ts`, outside 24 hours back to 5 minutes ahead of `nowMs`
 */
export function requireFresh(envelope: Envelope, nowMs: number): void {
  const moment = readMoment(envelope.ts)
  if (moment === undefined) return
  if (moment.earliestMs > nowMs + MAX_FUTURE_MS) throw stale('lies more than 5 minutes ahead')
  if (moment.latestMs < nowMs - MAX_PAST_MS) throw stale('is more than 24 hours old')
}

/** How long the sender would wait, in milliseconds; undefined when it does not say, or not as a number (AEQ-09). */
export function timeoutMsOf(envelope: Envelope): number | undefined {
  const timeoutMs = requirementOf(envelope, 'timeout_ms')
  return isDuration(timeoutMs) ? timeoutMs : undefined
}

/** Whether a person has to agree first; such a task is never carried out unasked (AEQ-10). */
export function needsApproval(envelope: Envelope): boolean {
  return requirementOf(envelope, 'human_approval') === true
}

/** Whether an intent lies in `aee.*` and is none that anybody defined there (AEQ-17). */
export function isReservedIntent(intent: string): boolean {
  if (!intent.startsWith(RESERVED_PREFIX) || intent.startsWith(EXTENSION_PREFIX)) return false
  return intent !== EXPLAINER && !isAeeIntent(intent)
}

/** What an error's payload should say and does not (AEE-029). */
export function errorFindings(payload: RecordMembers): readonly ConformanceFinding[] {
  return ERROR_MEMBERS.filter(([name, kind]) => typeof readMember(payload, name) !== kind).map(
    ([name, kind]) => ({ field: `payload.${name}`, rule: `should be a ${kind} in an error` }),
  )
}

/** What looks like a secret in `requires`, by its path; never what it is (AEE-089). */
export function secretFindings(requires: RecordMembers): readonly ConformanceFinding[] {
  const rule = 'looks like a secret; everybody on the way can read it, so send it by another way'
  return findSecrets(requires, 'requires').map((field) => ({ field, rule }))
}

function timestampFindings({ ts }: Envelope): readonly ConformanceFinding[] {
  if (readMoment(ts) !== undefined) return []
  return [
    { field: 'ts', rule: 'should be an RFC 3339 timestamp or an ISO date, such as 2025-12-14T03:45:12Z' },
  ]
}

function intentAdvice({ intent }: Envelope): readonly Advice[] {
  if (!isReservedIntent(intent)) return []
  const message = 'The namespace aee.* is reserved; use one of your own, or aee.ext.* for an extension.'
  return [{ code: 'intent-reserved', field: 'intent', message, isStrict: true }]
}

/** Lineage on a task, an event or a stream is welcome; one that can be nobody's id is a slip (AEQ-03). */
function lineageFindings({ type, reply_to: replyTo }: Envelope): readonly ConformanceFinding[] {
  if (typeof replyTo !== 'string' || isAnswer(type) || answerFault(replyTo) === undefined) return []
  return [
    { field: 'reply_to', rule: 'should be null or the id of an envelope, which has 8 characters or more' },
  ]
}

function requiresAdvice({ requires }: Envelope): readonly Advice[] {
  if (!isJsonObject(requires)) return []
  return [
    ...strictly(requiresFindings(requires)),
    ...leniently(companionFindings(requires)),
    ...strictly(secretFindings(requires)),
  ]
}

function payloadAdvice({ type, payload }: Envelope): readonly Advice[] {
  const reference = referenceFinding(payload)
  return [
    ...(type === 'error' ? leniently(errorFindings(payload)) : []),
    ...(reference === undefined ? [] : [toAdvice(reference, true)]),
  ]
}

function strictly(findings: readonly ConformanceFinding[]): readonly Advice[] {
  return findings.map((finding) => toAdvice(finding, true))
}

function leniently(findings: readonly ConformanceFinding[]): readonly Advice[] {
  return findings.map((finding) => toAdvice(finding, false))
}

function toAdvice(finding: ConformanceFinding, isStrict: boolean): Advice {
  return { code: 'field-invalid', field: finding.field, message: toSentence(finding), isStrict }
}

function requirementOf({ requires }: Envelope, name: string): unknown {
  return isJsonObject(requires) ? readMember(requires, name) : undefined
}

function stale(rule: string): AgentdError {
  const advice = 'make the envelope anew, with the time of now and an id of its own'
  return new AgentdError('timestamp-stale', `"ts" ${rule}; ${advice}.`, { field: 'ts' })
}
