/**
 * The fifteen kinds, one table: the payload shape of each, and what a recipient may assume about it.
 *
 * The catalogue is closed for envelope version 1.0 (AC-031, AC-176). A row or bound marked [P] is not in the
 * memo's text; it is the local proposal of docs/requirements.md §5.3, and it stands here and nowhere else, so that a
 * correction is one line.
 *
 * @see memo §§4–5, AC-050…AC-113
 */
import * as z from 'zod'
import { AgentdError } from '../../core/errors.ts'
import { MAX_FRAME_OCTETS } from '../../core/limits.ts'
import { Handle, SovereignHandle } from '../address/handle.ts'
import { readScope } from '../address/scope.ts'
import { Timestamp, UuidV4, listOf, octets, oneLine } from '../fields.ts'
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

const Reference = octets(1, 512) // [P] length
const Path = octets(1, 1_024) // [P] length
const Milliseconds = z.int().min(1)
const Lease = Milliseconds.max(MAX_LEASE_MS)
const SessionIdentifier = octets(1, 128)
const Prose = octets(1, 2_048)

/** A namespaced identifier such as `repo.pull-request` [P]. */
const ConvergenceClass = octets(3, 128).regex(
  /^[a-z0-9][a-z0-9_-]*([.:/][a-z0-9][a-z0-9_-]*)+$/,
  'must be a namespaced identifier such as repo.pull-request',
)

const ResponseScope = octets(1, 512).refine(
  (text) => readScope(text) !== undefined,
  'must be a recipient scope',
)

const Option = z.strictObject({ label: octets(1, 128), reasoning: oneLine(1, 512) }) // [P] bounds

/** Both hatches default to true; closing both would leave no way out of the options (AC-089, AC-090). */
const Hatches = z
  .strictObject({ free_text: z.boolean().optional(), dialogue: z.boolean().optional() })
  .refine((hatches) => hatches.free_text !== false || hatches.dialogue !== false, 'must leave one hatch open')

const Question = z
  .strictObject({
    stem: oneLine(1, 1_024), // [P] bound
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
      file_refs: listOf(Path, 64).optional(),
      worktree: octets(0, 512).optional(),
      branch: octets(0, 256).optional(),
    }),
    defaultTtlMs: HOUR_MS,
  },
  agent_broadcast: {
    payload: z.strictObject({
      broadcast_text: Prose,
      event_class: z.enum(['merged', 'stale', 'released', 'other']),
      refs: listOf(Reference, 64).optional(),
    }),
    defaultTtlMs: 24 * HOUR_MS,
  },
  agent_handover: {
    payload: z.strictObject({
      previous_session_id: SessionIdentifier,
      next_session_id: octets(0, 128).optional(),
      // No bound is stated: the frame's own is the only one (HO-01).
      handover_body: octets(0, MAX_FRAME_OCTETS),
      pointer_refs: listOf(Path, 64).optional(),
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
    payload: z.strictObject({ lease_id: UuidV4, resource: octets(0, 512).optional() }), // [P] shape
    defaultTtlMs: HOUR_MS,
  },
  agent_lease_extend: {
    payload: z.strictObject({ lease_id: UuidV4, additional_ttl_ms: Lease }), // [P] shape and name
    defaultTtlMs: HOUR_MS,
  },
  agent_query: {
    payload: z.strictObject({
      query_text: Prose,
      query_id: UuidV4,
      response_scope: ResponseScope,
      timeout_ms: Milliseconds,
    }),
    defaultTtlMs: HOUR_MS,
  },
  agent_response: {
    payload: z.strictObject({
      query_id: UuidV4, // [P] this row and the four below
      responder_session_id: SessionIdentifier,
      response_text: Prose,
      responded_to_frame_id: UuidV4.optional(),
      answer_attempt_idx: z.int().min(1).optional(),
    }),
    defaultTtlMs: HOUR_MS,
  },
  agent_return_event: {
    payload: z.strictObject({
      return_event_ref: octets(1, 256),
      query_id: UuidV4.optional(),
      summary: Prose,
    }),
    defaultTtlMs: 24 * HOUR_MS,
  },
  agent_binding_moment: {
    payload: z.strictObject({
      synopsis: oneLine(1, 1_024), // [P] bounds of all slots
      findings: listOf(octets(1, 1_024), 16),
      recommendations: listOf(octets(1, 1_024), 16),
      offer: oneLine(1, 512),
      question: Question,
    }),
    defaultTtlMs: 24 * HOUR_MS,
  },
  peer_diagnostic_request: {
    payload: z.strictObject({
      symptom: Prose,
      diagnostic_id: UuidV4,
      substrate_refs: listOf(Reference, 64).optional(),
      severity: z.enum(['info', 'degraded', 'blocked']),
    }),
    defaultTtlMs: HOUR_MS,
  },
  peer_diagnostic_response: {
    payload: z.strictObject({
      diagnostic_id: UuidV4, // [P] shape
      finding: Prose,
      remediation: octets(0, 2_048).optional(),
      substrate_refs: listOf(Reference, 64).optional(),
    }),
    defaultTtlMs: HOUR_MS,
  },
  intent_declare: {
    payload: z.strictObject({
      convergence_class: ConvergenceClass,
      payload_ref: Reference,
      acted_by: SovereignHandle,
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
      intent_ref: Reference,
      withdrawn_at: Timestamp,
    }),
    defaultTtlMs: HOUR_MS,
  },
  flush_executed: {
    payload: z.strictObject({
      convergence_class: ConvergenceClass,
      result_ref: Reference,
      batch_refs: listOf(Reference, 256).optional(),
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
  throw unknownKind()
}

export function unknownKind(): AgentdError {
  const message = `The catalogue has fifteen kinds: ${KIND_NAMES.join(', ')}.`
  return new AgentdError('kind-unknown', message, { field: 'kind' })
}
