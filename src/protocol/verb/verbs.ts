/**
 * The verbs of memo §9: what an agent runtime says, and the frame it becomes.
 *
 * A table from verb to arguments and payload. The daemon composes and submits the frame, so a caller needs no
 * knowledge of frames at all: one line of `curl` is a whole hook.
 *
 * @see AC-172, docs/http.md §8
 */
import * as z from 'zod'
import { newUuid } from '../../core/ids.ts'
import { DEFAULT_ROSTER_SESSIONS, MAX_HANDOVER_OCTETS, MAX_ROSTER_SESSIONS } from '../../core/limits.ts'
import { Handle } from '../address/handle.ts'
import { octets } from '../fields.ts'
import { KINDS, KIND_NAMES, requireKind } from '../frame/kinds.ts'
import { rename, verb, type Arguments, type Verb } from './row.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

const {
  agent_advisory: Advisory,
  agent_broadcast: Broadcast,
  agent_handover: Handover,
  agent_lock_request: LockRequest,
  agent_lease_extend: LeaseExtend,
  agent_query: Query,
  agent_response: Response,
  agent_return_event: ReturnEvent,
  peer_diagnostic_request: DiagnosticRequest,
  peer_diagnostic_response: DiagnosticResponse,
} = KINDS

/** Any object, left as it came: `z.record` would drop a member named `__proto__` that has to be refused (ACQ-40). */
const AnyPayload = z.custom<Arguments>(isJsonObject, 'must be an object').meta({ type: 'object' })

/** A lease, an extension and a collection window when nobody says otherwise, in milliseconds. */
const DEFAULT_LEASE_MS = 300_000
const DEFAULT_COLLECT_MS = 60_000

/** Verb → its row. `agent_roster` and `agent_subscribe` read, and stand in {@link READING_VERBS}. */
export const VERBS = {
  agent_send: verb(
    { kind: z.string().meta({ enum: KIND_NAMES }), payload: AnyPayload },
    ({ kind, payload }) => ({ kind: requireKind(kind), payload }),
  ),
  agent_advise: verb(
    {
      text: Advisory.payload.shape.advisory_text,
      file_refs: Advisory.payload.shape.file_refs,
      worktree: Advisory.payload.shape.worktree,
      branch: Advisory.payload.shape.branch,
    },
    (args) => ({ kind: 'agent_advisory', payload: rename(args, { text: 'advisory_text' }) }),
    'text',
  ),
  agent_broadcast: verb(
    {
      text: Broadcast.payload.shape.broadcast_text,
      event_class: Broadcast.payload.shape.event_class.default('other'),
      refs: Broadcast.payload.shape.refs,
    },
    (args) => ({ kind: 'agent_broadcast', payload: rename(args, { text: 'broadcast_text' }) }),
    'text',
  ),
  agent_handover: verb(
    {
      body: octets(1, MAX_HANDOVER_OCTETS),
      /** What fits into no frame is kept in a file, and the frame points to it (HO-07). */
      keep: z.boolean().optional(),
      pointer_refs: Handover.payload.shape.pointer_refs,
      previous_session_id: Handover.payload.shape.previous_session_id.optional(),
      next_session_id: Handover.payload.shape.next_session_id,
    },
    (args, { sessionId }) => ({
      kind: 'agent_handover',
      payload: {
        previous_session_id: sessionId,
        ...rename({ ...args, keep: undefined }, { body: 'handover_body' }),
      },
    }),
    'body',
  ),
  agent_lock_acquire: verb(
    {
      resource: LockRequest.payload.shape.resource,
      ttl_ms: LockRequest.payload.shape.ttl_ms.default(DEFAULT_LEASE_MS),
      intent: LockRequest.payload.shape.intent,
    },
    ({ resource, ttl_ms, intent }) => {
      const lease_id = newUuid()
      const payload = { resource, lease_id, ttl_ms, ...(intent !== undefined && { intent }) }
      // The announcement is stale when the lease has run out.
      return { kind: 'agent_lock_request', payload, ttlMs: ttl_ms, ids: { lease_id } }
    },
    'resource',
  ),
  agent_lock_release: verb(
    { lease_id: LockRequest.payload.shape.lease_id },
    ({ lease_id }) => ({ kind: 'agent_lock_release', payload: { lease_id }, ids: { lease_id } }),
    'lease_id',
  ),
  agent_lease_extend: verb(
    {
      lease_id: LeaseExtend.payload.shape.lease_id,
      additional_ttl_ms: LeaseExtend.payload.shape.additional_ttl_ms.default(DEFAULT_LEASE_MS),
    },
    ({ lease_id, additional_ttl_ms }) => ({
      kind: 'agent_lease_extend',
      payload: { lease_id, additional_ttl_ms },
      ids: { lease_id },
    }),
    'lease_id',
  ),
  agent_query: verb(
    {
      text: Query.payload.shape.query_text,
      response_scope: Query.payload.shape.response_scope.optional(),
      timeout_ms: Query.payload.shape.timeout_ms.default(DEFAULT_COLLECT_MS),
    },
    ({ text, response_scope, timeout_ms }, { ownScope }) => {
      const query_id = newUuid()
      const payload = { query_text: text, query_id, response_scope: response_scope ?? ownScope, timeout_ms }
      return { kind: 'agent_query', payload, ids: { query_id } }
    },
    'text',
  ),
  agent_respond: verb(
    {
      query_id: Response.payload.shape.query_id,
      text: Response.payload.shape.response_text,
      responded_to_frame_id: Response.payload.shape.responded_to_frame_id,
      answer_attempt_idx: Response.payload.shape.answer_attempt_idx,
    },
    (args, { sessionId, responseScope }) => ({
      kind: 'agent_response',
      payload: { ...rename(args, { text: 'response_text' }), responder_session_id: sessionId },
      scope: responseScope,
      ids: { query_id: args.query_id },
    }),
  ),
  agent_return: verb(
    {
      return_event_ref: ReturnEvent.payload.shape.return_event_ref,
      summary: ReturnEvent.payload.shape.summary,
      query_id: ReturnEvent.payload.shape.query_id,
    },
    (args) => ({ kind: 'agent_return_event', payload: rename(args, {}) }),
  ),
  agent_decide: verb(KINDS.agent_binding_moment.payload.shape, (args) => ({
    kind: 'agent_binding_moment',
    payload: rename(args, {}),
  })),
  agent_diagnose: verb(
    {
      symptom: DiagnosticRequest.payload.shape.symptom,
      severity: DiagnosticRequest.payload.shape.severity,
      substrate_refs: DiagnosticRequest.payload.shape.substrate_refs,
    },
    (args) => {
      const diagnostic_id = newUuid()
      return {
        kind: 'peer_diagnostic_request',
        payload: { ...rename(args, {}), diagnostic_id },
        ids: { diagnostic_id },
      }
    },
  ),
  agent_diagnose_respond: verb(
    {
      diagnostic_id: DiagnosticResponse.payload.shape.diagnostic_id,
      finding: DiagnosticResponse.payload.shape.finding,
      remediation: DiagnosticResponse.payload.shape.remediation,
      substrate_refs: DiagnosticResponse.payload.shape.substrate_refs,
    },
    (args) => ({
      kind: 'peer_diagnostic_response',
      payload: rename(args, {}),
      ids: { diagnostic_id: args.diagnostic_id },
    }),
  ),
  intent_declare: verb(
    {
      ...KINDS.intent_declare.payload.shape,
      acted_by: KINDS.intent_declare.payload.shape.acted_by.optional(),
      declared_at: KINDS.intent_declare.payload.shape.declared_at.optional(),
      drafted_with: Handle.optional(),
    },
    (args, { actedBy, draftedWith, nowIso }) => ({
      kind: 'intent_declare',
      payload: { acted_by: actedBy, declared_at: nowIso, ...rename(args, {}), drafted_with: draftedWith },
    }),
  ),
  intent_withdraw: verb(
    {
      ...KINDS.intent_withdraw.payload.shape,
      withdrawn_at: KINDS.intent_withdraw.payload.shape.withdrawn_at.optional(),
    },
    (args, { nowIso }) => ({
      kind: 'intent_withdraw',
      payload: { withdrawn_at: nowIso, ...rename(args, {}) },
    }),
  ),
  flush_execute: verb(
    {
      ...KINDS.flush_executed.payload.shape,
      executed_at: KINDS.flush_executed.payload.shape.executed_at.optional(),
    },
    (args, { nowIso }) => ({ kind: 'flush_executed', payload: { executed_at: nowIso, ...rename(args, {}) } }),
  ),
} satisfies Readonly<Record<string, Verb>>

/** A verb that sends a frame. */
export type VerbName = keyof typeof VERBS

/** The two verbs that send nothing, and what they take. */
export const READING_VERBS = {
  agent_roster: z.strictObject({
    after: z.string().optional(),
    limit: z.int().min(1).max(MAX_ROSTER_SESSIONS).default(DEFAULT_ROSTER_SESSIONS),
  }),
  agent_subscribe: z.strictObject({ filter: z.string().default('') }),
}

export function isVerb(text: string): text is VerbName {
  return Object.hasOwn(VERBS, text)
}
