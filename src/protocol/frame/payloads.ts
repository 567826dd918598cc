/**
 * What each of the fifteen kinds carries, in words: the types that the schemas of `kinds.ts` are held to.
 *
 * Lengths are octets of UTF-8. A reader of the library sees these comments and no page, so they name none.
 *
 * @see memo §5, AC-050…AC-113
 */

/** Somebody says what it is doing. */
export interface AdvisoryPayload {
  /** What it is doing, in words. */
  advisory_text: string
  /** Files it is about, relative to the repository, or as absolute paths. */
  file_refs?: string[] | undefined
  /** The worktree it works in. */
  worktree?: string | undefined
  /** The branch it works on. */
  branch?: string | undefined
}

/** Something has happened that others should know. */
export interface BroadcastPayload {
  /** What has happened, in words. */
  broadcast_text: string
  /** What kind of thing it is. */
  event_class: 'merged' | 'stale' | 'released' | 'other'
  /** What it is about: commits, pull requests, addresses. */
  refs?: string[] | undefined
}

/** Work that is left to a later session. */
export interface HandoverPayload {
  /** The session that leaves it. */
  previous_session_id: string
  /** The session that takes it, where that is known. */
  next_session_id?: string | undefined
  /** What has to be known to go on, in words. */
  handover_body: string
  /** Files and places to look at. */
  pointer_refs?: string[] | undefined
}

/** Somebody is at work on something, for a while. Nobody is kept from it. */
export interface LockRequestPayload {
  /** What it is at work on: a path, or any other name. */
  resource: string
  /** The lease, a version-4 UUID. */
  lease_id: string
  /** How long, in milliseconds; at most an hour. */
  ttl_ms: number
  /** What for, in words. */
  intent?: string | undefined
}

/** A lease ends before its time. */
export interface LockReleasePayload {
  /** The lease that ends. */
  lease_id: string
  /** What it was for. */
  resource?: string | undefined
}

/** A lease goes on beyond its time. */
export interface LeaseExtendPayload {
  /** The lease that goes on. */
  lease_id: string
  /** What it gains, in milliseconds; at most an hour. */
  additional_ttl_ms: number
}

/** A question to whoever can answer it. */
export interface QueryPayload {
  /** The question, in words. */
  query_text: string
  /** What answers name it by, a version-4 UUID. */
  query_id: string
  /** The scope answers go to. */
  response_scope: string
  /** How long answers are collected, in milliseconds. */
  timeout_ms: number
}

/** An answer to a question. */
export interface ResponsePayload {
  /** The question it answers. */
  query_id: string
  /** The session that answers. */
  responder_session_id: string
  /** The answer, in words. */
  response_text: string
  /** The frame the question came in. */
  responded_to_frame_id?: string | undefined
  /** Which try at an answer it is, counted from 1. */
  answer_attempt_idx?: number | undefined
}

/** Something that was begun has come back, or a question is closed without an answer. */
export interface ReturnEventPayload {
  /** What has come back. */
  return_event_ref: string
  /** The question that it closes. */
  query_id?: string | undefined
  /** What came of it, in words. */
  summary: string
}

/** A choice of a decision that is put to somebody. */
export interface BindingOption {
  /** What it is called. */
  label: string
  /** What speaks for it, on one line. */
  reasoning: string
}

/** The question of a decision. */
export interface BindingQuestion {
  /** The question, on one line. */
  stem: string
  /** Two to four choices. */
  options: BindingOption[]
  /** Which of them is recommended, counted from 0. */
  recommended_idx: number
  /** Ways to answer beside the choices; both are open unless they are closed, and one always is. */
  hatches?: BindingHatches | undefined
}

/** Ways to answer a decision beside its choices. */
export interface BindingHatches {
  /** An answer in words of one's own. */
  free_text?: boolean | undefined
  /** A talk about it first. */
  dialogue?: boolean | undefined
}

/** A decision that is put to somebody, with what has to be known for it. */
export interface BindingMomentPayload {
  /** Where things stand, on one line. */
  synopsis: string
  /** What was found. */
  findings: string[]
  /** What is recommended. */
  recommendations: string[]
  /** What the asker would do next, on one line. */
  offer: string
  /** What is to be decided. */
  question: BindingQuestion
}

/** Somebody asks its peers what is wrong. */
export interface DiagnosticRequestPayload {
  /** What is seen, in words. */
  symptom: string
  /** What answers name it by, a version-4 UUID. */
  diagnostic_id: string
  /** What it is seen at. */
  substrate_refs?: string[] | undefined
  /** How much it is in the way. */
  severity: 'info' | 'degraded' | 'blocked'
}

/** What a peer has found out about a symptom. */
export interface DiagnosticResponsePayload {
  /** The request it answers. */
  diagnostic_id: string
  /** What was found, in words. */
  finding: string
  /** What would mend it, in words. */
  remediation?: string | undefined
  /** Where it was found. */
  substrate_refs?: string[] | undefined
}

/** Something is going to be done, unless it is withdrawn. */
export interface IntentDeclarePayload {
  /** What kind of thing it is, such as `repo.pull-request`. */
  convergence_class: string
  /** Where what is to be done stands. */
  payload_ref: string
  /** The principal, as in the frame. */
  acted_by: string
  /** The instrument, as in the frame. */
  drafted_with: string
  /** When it was declared, RFC 3339. */
  declared_at: string
  /** How long it holds, in milliseconds. */
  ttl: number
  /** Whether it can be taken back. */
  withdrawable: boolean
  /** How soon it wants to be done. */
  urgency?: 'normal' | 'urgent' | undefined
}

/** An intent is taken back. */
export interface IntentWithdrawPayload {
  /** What kind of thing it was. */
  convergence_class: string
  /** The intent that is taken back. */
  intent_ref: string
  /** When, RFC 3339. */
  withdrawn_at: string
}

/** Intents of a kind were carried out together. */
export interface FlushExecutedPayload {
  /** What kind of thing it was. */
  convergence_class: string
  /** Where what came of it stands. */
  result_ref: string
  /** The intents that were carried out. */
  batch_refs?: string[] | undefined
  /** When, RFC 3339. */
  executed_at: string
}
