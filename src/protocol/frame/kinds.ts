/**
 * The fifteen kinds, one table: the payload shape of each, and what a recipient may assume about it.
 *
 * The catalogue is closed for envelope version 1.0 (AC-031, AC-176). A bound stands here only where the memo's text
 * states it; what has none is bounded by the frame (ACQ-14). A shape or a name marked [P] is not in the text; it is the
 * local proposal of docs/requirements.md §5.3, and it stands here and nowhere else, so that a correction is one line.
 *
 * @see memo §§4–5, AC-050…AC-113
 */
import { nearestWord } from '../../core/text/edit-distance.ts'
import { findKind } from './spoken-kind.ts'
import * as z from 'zod'
import { AgentdError } from '../../core/errors.ts'
import { Handle } from '../address/handle.ts'
import { readScope } from '../address/scope.ts'
import { FreeText, OneLine, SomeText, Timestamp, UuidV4, octets } from '../fields.ts'
import type { Payloads } from './frame-members.ts'

/** What a kind is, besides its name. */
interface KindTraits<P> {
  /** The one payload shape (AC-041). */
  readonly payload: z.ZodType<P>
  /** Age at which a recipient calls it stale when the frame has no `ttl_ms`, in milliseconds [P]. */
  readonly defaultTtlMs: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** One lease may not outlive an hour (AC-063). */
const MAX_LEASE_MS = 3_600_000

const References = z.array(FreeText)
const Milliseconds = z.int().min(0)
const SomeMilliseconds = z.int().min(1)
const Lease = SomeMilliseconds.max(MAX_LEASE_MS)
const SessionIdentifier = octets(1, 128)
const Prose = octets(1, 2_048)

const NO_NAMESPACED = 'must be a namespaced identifier such as repo.pull-request'

/** An identifier has no blanks; a namespaced one has something in front of a separator, and something behind it. */
const ConvergenceClass = FreeText.regex(/^\S+$/, NO_NAMESPACED).regex(/[^.:/#][.:/#]+[^.:/#]/, NO_NAMESPACED)

const ResponseScope = octets(1, 512).refine(
  (text) => readScope(text) !== undefined,
  'must be a recipient scope',
)

/** Labels are what an answer names, and so hold something, as a sentence does. */
const Option = z.strictObject({ label: SomeText, reasoning: OneLine })

/** Both hatches default to true; closing both would leave no way out of the options (AC-089, AC-090). */
const Hatches = z
  .strictObject({ free_text: z.boolean().optional(), dialogue: z.boolean().optional() })
  .refine((hatches) => hatches.free_text !== false || hatches.dialogue !== false, 'must leave one hatch open')

const Question = z
  .strictObject({
    stem: SomeText,
    options: z.array(Option).min(2).max(4),
    recommended_idx: z.int().min(0),
    hatches: Hatches.optional(), // [P] optional
  })
  .refine((question) => question.recommended_idx < question.options.length, {
    message: 'must name one of the options, counting from 0',
    path: ['recommended_idx'],
  })

/** Kind → its traits. The key order is the catalogue order of the memo. */
export const KINDS = {
  agent_advisory: {
    payload: z.strictObject({
      advisory_text: Prose,
      file_refs: References.optional(),
      worktree: octets(0, 512).optional(),
      branch: octets(0, 256).optional(),
    }),
    defaultTtlMs: HOUR_MS,
  },
  agent_broadcast: {
    payload: z.strictObject({
      broadcast_text: Prose,
      event_class: z.enum(['merged', 'stale', 'released', 'other']),
      refs: References.optional(),
    }),
    defaultTtlMs: 24 * HOUR_MS,
  },
  agent_handover: {
    payload: z.strictObject({
      previous_session_id: SessionIdentifier,
      next_session_id: octets(0, 128).optional(),
      handover_body: FreeText,
      pointer_refs: References.optional(),
    }),
    defaultTtlMs: 7 * 24 * HOUR_MS,
  },
  agent_lock_request: {
    payload: z.strictObject({
      resource: octets(1, 512),
      lease_id: UuidV4,
      ttl_ms: Lease,
      intent: octets(0, 2_048).optional(),
    }),
    defaultTtlMs: HOUR_MS,
  },
  agent_lock_release: {
    payload: z.strictObject({ lease_id: UuidV4, resource: FreeText.optional() }), // [P] shape
    defaultTtlMs: HOUR_MS,
  },
  agent_lease_extend: {
    payload: z.strictObject({ lease_id: UuidV4, additional_ttl_ms: Milliseconds }), // [P] shape and name
    defaultTtlMs: HOUR_MS,
  },
  agent_query: {
    payload: z.strictObject({
      query_text: Prose,
      query_id: UuidV4,
      response_scope: ResponseScope,
      timeout_ms: SomeMilliseconds,
    }),
    defaultTtlMs: HOUR_MS,
  },
  agent_response: {
    payload: z.strictObject({
      query_id: UuidV4, // [P] this row and the four below
      responder_session_id: SomeText,
      response_text: SomeText,
      responded_to_frame_id: UuidV4.optional(),
      answer_attempt_idx: z.int().min(1).optional(),
    }),
    defaultTtlMs: HOUR_MS,
  },
  agent_return_event: {
    payload: z.strictObject({
      return_event_ref: octets(1, 256),
      query_id: FreeText.optional(),
      summary: Prose,
    }),
    defaultTtlMs: 24 * HOUR_MS,
  },
  agent_binding_moment: {
    payload: z.strictObject({
      synopsis: SomeText,
      findings: z.array(FreeText),
      recommendations: z.array(FreeText),
      offer: OneLine,
      question: Question,
    }),
    defaultTtlMs: 24 * HOUR_MS,
  },
  peer_diagnostic_request: {
    payload: z.strictObject({
      symptom: Prose,
      diagnostic_id: UuidV4,
      substrate_refs: References.optional(),
      severity: z.enum(['info', 'degraded', 'blocked']),
    }),
    defaultTtlMs: HOUR_MS,
  },
  peer_diagnostic_response: {
    payload: z.strictObject({
      diagnostic_id: UuidV4, // [P] shape
      finding: SomeText,
      remediation: FreeText.optional(),
      substrate_refs: References.optional(),
    }),
    defaultTtlMs: HOUR_MS,
  },
  intent_declare: {
    payload: z.strictObject({
      convergence_class: ConvergenceClass,
      payload_ref: FreeText,
      acted_by: Handle,
      drafted_with: Handle,
      declared_at: Timestamp,
      ttl: Milliseconds,
      withdrawable: z.boolean(),
      urgency: z.enum(['normal', 'urgent']).optional(),
    }),
    defaultTtlMs: HOUR_MS,
  },
  intent_withdraw: {
    payload: z.strictObject({
      convergence_class: ConvergenceClass,
      intent_ref: FreeText,
      withdrawn_at: Timestamp,
    }),
    defaultTtlMs: HOUR_MS,
  },
  flush_executed: {
    payload: z.strictObject({
      convergence_class: ConvergenceClass,
      result_ref: FreeText,
      batch_refs: References.optional(),
      executed_at: Timestamp,
    }),
    defaultTtlMs: HOUR_MS,
  },
} satisfies { readonly [K in Kind]: KindTraits<Payloads[K]> }

/** One of the fifteen kinds. */
export type Kind = keyof Payloads

/** The payload of one kind, or of any. */
export type Payload<K extends Kind = Kind> = Payloads[K]

/** The fifteen names, in catalogue order. */
export const KIND_NAMES: readonly Kind[] = Object.keys(KINDS).filter(isKind)

/** Whether a string is in the closed catalogue; `__proto__` and its kin are not (ACQ-40). */
export function isKind(text: string): text is Kind {
  return Object.hasOwn(KINDS, text)
}

/** @throws AgentdError `kind-unknown`, field `kind` (AC-011) */
export function requireKind(text: string): Kind {
  if (isKind(text)) return text
  throw unknownKind(text)
}

/** @param text - what was named in its place, where that is a text */
export function unknownKind(text = ''): AgentdError {
  const meant = findKind(text, KIND_NAMES) ?? nearestWord(text, KIND_NAMES)
  const near = meant === undefined ? '' : ` Did you mean ${meant}?`
  const message = `The catalogue has fifteen kinds: ${KIND_NAMES.join(', ')}.${near}`
  return new AgentdError('kind-unknown', message, { field: 'kind' })
}
