/**
 * The agent-channel frame: a closed object of fifteen names, thirteen of them required (AC-005).
 *
 * `parseFrame` is the only way in. One schema says what a frame is; only a refused frame pays for finding out
 * which of its faults comes first (ACQ-08).
 *
 * @see memo §3, AC-001…AC-042
 */
import * as z from 'zod'
import { AgentdError } from '../../core/errors.ts'
import { compileAcceptor } from './acceptor.ts'
import { Handle } from '../address/handle.ts'
import type { FrameOfKind } from './frame-members.ts'
import type { FrameHead, PlainHead } from './frame-members.ts'
import { KINDS, isKind, unknownKind, type Kind } from './kinds.ts'
import { isJsonObject, type JsonObject } from '../../core/text/json-object.ts'
import { MAX_FUTURE_MS, MAX_PAST_MS } from '../../core/limits.ts'
import { describeIssues, inOwnWords } from '../refusal/refusal.ts'
import { FreeText, Timestamp, UuidV4 } from '../fields.ts'
import { readTimestampMs } from '../../core/text/timestamp.ts'

/** The only wire contract this daemon speaks (AC-006). */
export const ENVELOPE_VERSION = '1.0'

export const ComputeLocation = z.enum(['server-active', 'server-aggregate', 'local-only'])
export const ContextCheck = z.enum(['passed', 'skipped'])
export const MethodTags = z.array(FreeText).min(1, 'must hold at least one tag')
export const Basis = FreeText
export const ReturnRef = FreeText
/** A span of time is a whole number of milliseconds and not negative; 0 is stale at once (ACQ-15). */
export const TtlMs = z.int().min(0)

/** The frame around a payload, in the order of AC-005, which is also the order faults are reported in. */
function frameOf<K extends Kind, P extends z.ZodType>(kind: K, payload: P) {
  return z.strictObject({
    envelope_version: z.literal(ENVELOPE_VERSION),
    frame_id: UuidV4,
    kind: z.literal(kind),
    sender_handle: Handle,
    recipient_handle: Handle,
    created_at: Timestamp,
    ttl_ms: TtlMs.optional(),
    payload,
    acted_by: Handle,
    drafted_with: Handle,
    provenance_compute_location: ComputeLocation,
    provenance_method: MethodTags,
    provenance_return_ref: ReturnRef.optional(),
    provenance_context_check: ContextCheck,
    provenance_basis: Basis,
  })
}

/** Any frame, told apart by its kind. */
export const Frame = z.discriminatedUnion('kind', [
  frameOf('agent_advisory', KINDS.agent_advisory.payload),
  frameOf('agent_broadcast', KINDS.agent_broadcast.payload),
  frameOf('agent_handover', KINDS.agent_handover.payload),
  frameOf('agent_lock_request', KINDS.agent_lock_request.payload),
  frameOf('agent_lock_release', KINDS.agent_lock_release.payload),
  frameOf('agent_lease_extend', KINDS.agent_lease_extend.payload),
  frameOf('agent_query', KINDS.agent_query.payload),
  frameOf('agent_response', KINDS.agent_response.payload),
  frameOf('agent_return_event', KINDS.agent_return_event.payload),
  frameOf('agent_binding_moment', KINDS.agent_binding_moment.payload),
  frameOf('peer_diagnostic_request', KINDS.peer_diagnostic_request.payload),
  frameOf('peer_diagnostic_response', KINDS.peer_diagnostic_response.payload),
  frameOf('intent_declare', KINDS.intent_declare.payload),
  frameOf('intent_withdraw', KINDS.intent_withdraw.payload),
  frameOf('flush_executed', KINDS.flush_executed.payload),
])

/** The frame of one kind, or of one of several. */
export type FrameOf<K extends Kind> = { [One in K]: FrameOfKind<One> }[K]

/** A frame, told apart by its kind. */
export type Frame = FrameOf<Kind>

/** Kind → the names its payload cannot do without, in schema order. */
const REQUIRED_NAMES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(KINDS).map(([kind, { payload }]) => [
    kind,
    Object.entries<z.ZodType>(payload.shape)
      .filter(([, field]) => !field.safeParse(undefined).success)
      .map(([name]) => name),
  ]),
)

/** Whether frames have a member of that name, which none has besides these (AC-174). */
export function isFrameMember(name: string): boolean {
  return Frame.options.some(({ shape }) => Object.hasOwn(shape, name))
}

/** How strictly a frame is read. */
export interface FrameCheck {
  /** Wall time the `created_at` must be plausible against, in milliseconds; absent: any time (ACQ-26). */
  readonly nowMs?: number | undefined
}

/**
 * Reads a frame from a parsed JSON value.
 *
 * @throws AgentdError with the one code and field that come first by ACQ-08
 */
export function parseFrame(value: unknown, check: FrameCheck = {}): Frame {
  const frame = isFrame(value) ? value : requireFrame(value, check)
  const fault = envelopeFault(frame, check) ?? attributionFault(frame)
  if (fault !== undefined) throw fault
  return frame
}

/** What no schema of single fields sees of a frame that it takes. @throws AgentdError */
export function requirePlausible(head: PlainHead, check: FrameCheck): void {
  const fault = envelopeFault(head, check)
  if (fault !== undefined) throw fault
}

const isFrame = compileAcceptor(Frame)

/**
 * What the acceptor did not take: either it has a fault, or it is only unusual. Steps 2 and 3 of ACQ-08 need no
 * schema.
 */
function requireFrame(value: unknown, check: FrameCheck): Frame {
  if (!isJsonObject(value))
    throw new AgentdError('field-invalid', 'A frame is a JSON object.', { field: 'frame' })
  const early = versionFault(value) ?? kindFault(value)
  if (early !== undefined) throw early
  const parsed = inOwnWords(Frame, value)
  if (!parsed.success) throw firstFault(value, parsed.error.issues, check)
  return parsed.data
}

/**
 * The frame's age horizon: its own `ttl_ms`, or what its kind implies (AC-018). A declared intent is forgotten once its
 * `ttl` is over, and until then where its frame says nothing of itself (AC-103; memo §14); one that was declared before its
 * frame was made is an announcement from then on, so that whoever announces late, or again, is heard.
 */
export function expiresAtMs(frame: FrameHead): number {
  const createdMs = readTimestampMs(frame.created_at) ?? 0
  const ownMs = frame.ttl_ms === undefined ? undefined : createdMs + frame.ttl_ms
  if (frame.kind !== 'intent_declare') return ownMs ?? createdMs + KINDS[frame.kind].defaultTtlMs
  const declaredMs = readTimestampMs(frame.payload.declared_at) ?? createdMs
  const decayedMs = Math.max(createdMs, declaredMs) + frame.payload.ttl
  return Math.min(ownMs ?? decayedMs, decayedMs)
}

/** Steps 4 to 7 of ACQ-08 over a value that the schema refused. */
function firstFault(fields: JsonObject, issues: readonly z.core.$ZodIssue[], check: FrameCheck): AgentdError {
  const envelope = issues.filter((issue) => issue.path[0] !== 'payload' || isPayloadItself(issue, fields))
  if (envelope.length > 0) return describeIssues(envelope, fields, '')
  return envelopeFault(fields, check) ?? payloadFault(fields, issues)
}

function versionFault(fields: JsonObject): AgentdError | undefined {
  const field = 'envelope_version'
  if (!Object.hasOwn(fields, field)) return missing(field)
  const version = fields[field]
  if (version === ENVELOPE_VERSION) return undefined
  if (typeof version !== 'string')
    return new AgentdError('field-invalid', `"${field}" must be a string.`, { field })
  return new AgentdError(
    'envelope-version-unsupported',
    `This daemon speaks envelope version ${ENVELOPE_VERSION}.`,
    {
      field,
    },
  )
}

function kindFault(fields: JsonObject): AgentdError | undefined {
  const field = 'kind'
  if (!Object.hasOwn(fields, field)) return missing(field)
  const kind = fields[field]
  if (typeof kind !== 'string') return new AgentdError('field-invalid', '"kind" must be a string.', { field })
  return isKind(kind) ? undefined : unknownKind(kind)
}

/** A payload that is absent or no object is a fault of the frame, not of the payload (ACQ-07). */
function isPayloadItself(issue: z.core.$ZodIssue, { payload }: JsonObject): boolean {
  return issue.path.length === 1 && !isJsonObject(payload)
}

/** The members that only together, or only now, can be wrong. */
interface Plausible {
  readonly created_at?: unknown
  readonly acted_by?: unknown
  readonly drafted_with?: unknown
}

/** What a schema of single fields cannot see: the plausible time, and two handles that must differ (ACQ-11). */
function envelopeFault(
  { created_at, acted_by, drafted_with }: Plausible,
  check: FrameCheck,
): AgentdError | undefined {
  if (acted_by === drafted_with) {
    return invalid('drafted_with', 'must be the instrument that composed the frame, not the principal')
  }
  if (check.nowMs === undefined) return undefined
  const createdMs = readTimestampMs(String(created_at)) ?? 0
  if (createdMs > check.nowMs + MAX_FUTURE_MS) return invalid('created_at', 'lies too far in the future')
  if (createdMs < check.nowMs - MAX_PAST_MS) return invalid('created_at', 'lies too far in the past')
  return undefined
}

/** Step 7: a foreign shape first, then the particular field (ACQ-07). */
function payloadFault(fields: JsonObject, issues: readonly z.core.$ZodIssue[]): AgentdError {
  const kind = String(fields['kind'])
  const names = isJsonObject(fields['payload']) ? Object.keys(fields['payload']) : []
  const required = REQUIRED_NAMES[kind] ?? []
  if (names.length > 0 && !required.some((name) => names.includes(name))) {
    return new AgentdError('payload-kind-mismatch', `This payload is not the payload of "${kind}".`, {
      field: 'payload',
    })
  }
  return describeIssues(issues, fields, '')
}

/** An intent names its author twice; the copy inside must not say something else (ACQ-16). */
function attributionFault(frame: Frame): AgentdError | undefined {
  if (frame.kind !== 'intent_declare') return undefined
  if (frame.payload.acted_by !== frame.acted_by)
    return invalid('payload.acted_by', "must equal the frame's acted_by")
  if (frame.payload.drafted_with === frame.drafted_with) return undefined
  return invalid('payload.drafted_with', "must equal the frame's drafted_with")
}

function missing(field: string): AgentdError {
  return new AgentdError('field-missing', `"${field}" is required.`, { field })
}

function invalid(field: string, rule: string): AgentdError {
  return new AgentdError('field-invalid', `"${field}" ${rule}.`, { field })
}
