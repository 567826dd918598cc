/**
 * A frame as types: what each is said to be in words, for who writes one and reads one. The schemas of `kinds.ts` and
 * `frame.ts` say the same to the parser; the compiler and a test hold the two together.
 *
 * @see memo §§3–5
 */
import type * as carried from './payloads.ts'

/** Kind → what it carries. */
export interface Payloads {
  /** Somebody says what it is doing. */
  agent_advisory: carried.AdvisoryPayload
  /** Something has happened. */
  agent_broadcast: carried.BroadcastPayload
  /** Work is left to a later session. */
  agent_handover: carried.HandoverPayload
  /** Somebody is at work on something, for a while. */
  agent_lock_request: carried.LockRequestPayload
  /** A lease ends. */
  agent_lock_release: carried.LockReleasePayload
  /** A lease goes on. */
  agent_lease_extend: carried.LeaseExtendPayload
  /** A question. */
  agent_query: carried.QueryPayload
  /** An answer. */
  agent_response: carried.ResponsePayload
  /** Something has come back, or no answer comes. */
  agent_return_event: carried.ReturnEventPayload
  /** A decision is put to somebody. */
  agent_binding_moment: carried.BindingMomentPayload
  /** What is wrong, is asked. */
  peer_diagnostic_request: carried.DiagnosticRequestPayload
  /** What is wrong, is answered. */
  peer_diagnostic_response: carried.DiagnosticResponsePayload
  /** Something is going to be done. */
  intent_declare: carried.IntentDeclarePayload
  /** It is not going to be done. */
  intent_withdraw: carried.IntentWithdrawPayload
  /** It has been done, with others. */
  flush_executed: carried.FlushExecutedPayload
}

/** What every frame says, whatever its kind. */
export interface FrameMembers {
  /** The version of the form. */
  envelope_version: '1.0'
  /** A version-4 UUID; what is sent twice under one is accepted once. */
  frame_id: string
  /** Who sends it, a handle such as `~alice`. */
  sender_handle: string
  /** Whom it is for, a handle. */
  recipient_handle: string
  /** When it was made, RFC 3339. */
  created_at: string
  /** Age at which it is stale, in milliseconds; absent, as its kind implies. */
  ttl_ms?: number | undefined
  /** The principal who answers for it, a handle. */
  acted_by: string
  /** The instrument that composed it, a handle. */
  drafted_with: string
  /** Where its content was worked out. */
  provenance_compute_location: 'server-active' | 'server-aggregate' | 'local-only'
  /** How its content came about; at least one word. */
  provenance_method: string[]
  /** Where what it stands on can be found. */
  provenance_return_ref?: string | undefined
  /** Whether its content was checked against its context. */
  provenance_context_check: 'passed' | 'skipped'
  /** What it stands on, in a word. */
  provenance_basis: string
}

/** A frame of one kind. */
export interface FrameOfKind<K extends keyof Payloads> extends FrameMembers {
  /** One of the fifteen. */
  kind: K
  /** What the kind carries. */
  payload: Payloads[K]
}

/** Kinds whose payload says where they go, or for how long. */
export type ReadKind = 'agent_query' | 'agent_response' | 'intent_declare'

type Said =
  | 'frame_id'
  | 'sender_handle'
  | 'recipient_handle'
  | 'created_at'
  | 'ttl_ms'
  | 'acted_by'
  | 'drafted_with'

/** Of every other kind, what is said around its payload. */
export interface PlainHead extends Pick<FrameMembers, Said> {
  readonly kind: Exclude<keyof Payloads, ReadKind>
}

/** Any frame is one. */
export type FrameHead = { [One in ReadKind]: FrameOfKind<One> }[ReadKind] | PlainHead
