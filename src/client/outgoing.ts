/**
 * What a participant sends, and the line it becomes.
 */
import type { CallOptions } from './http/call-options.ts'
import { composeFrame, type Author } from '../protocol/frame/compose.ts'
import type { Frame } from '../protocol/frame/frame.ts'
import type { Kind, Payload } from '../protocol/frame/kinds.ts'
import { redactPayload } from '../protocol/frame/redaction.ts'
import type { Warning } from './reply/results.ts'
import { MAX_FRAME_OCTETS } from '../core/limits.ts'
import { readScope, scopeHandle } from '../protocol/address/scope.ts'
import { frameTooLarge } from '../protocol/frame/submission.ts'
import { encodeJson } from '../core/text/json.ts'
import { octetLength } from '../core/text/octets.ts'

/** Who a participant is. */
export interface ParticipantIdentity {
  readonly author: Author
  /** Names the answering and the handing-over session in payloads; `shell` for the principal itself. */
  readonly sessionId: string
  /** Of the session; absent for the principal itself. */
  readonly address?: string
}

/** How the content came about (memo §3.3); what is left out claims no more than is known. */
export interface ProvenanceOptions {
  /** Where the content was worked out; default `server-active` for an agent, `local-only` for who has none. */
  readonly computeLocation?: 'server-active' | 'server-aggregate' | 'local-only' | undefined
  /** How it came about; default `session-context` for an agent, `direct` for who has none. */
  readonly method?: readonly string[] | undefined
  /** Where what it stands on can be found. */
  readonly returnRef?: string | undefined
  /** Whether it was checked against its context; default `skipped`. */
  readonly contextCheck?: 'passed' | 'skipped' | undefined
  /** What it stands on, in a word; default `agentd`. */
  readonly basis?: string | undefined
}

/** Where a frame goes and how it is signed; every member has a default. */
export interface SendOptions extends CallOptions {
  /** Whom it is for: `~alice`, `~alice/*`, `~alice/cc-*` or `~alice/cc-opus@s1`; absent: all sessions of the recipient. */
  readonly scope?: string | undefined
  /** Instead of a scope, what somebody calls a session: see `scopeOf`. It costs a look at the roster. */
  readonly to?: string | undefined
  /** The handle it is for; absent: that of the scope, or the caller's own. */
  readonly recipientHandle?: string | undefined
  /** Age at which a recipient calls the frame stale, in milliseconds (AC-018); absent: as its kind implies. */
  readonly ttlMs?: number | undefined
  /** How the content came about; absent, no more than is known. */
  readonly provenance?: ProvenanceOptions | undefined
  /** The instrument that composed it; a session may only name its own (AC-178). */
  readonly draftedWith?: string | undefined
  /** False: secrets in a symptom, a finding or a remediation are sent; they are blacked out otherwise (AC-186). */
  readonly redact?: boolean | undefined
}

/** A frame to be composed. Payload members are those of the wire. */
export interface Message<K extends Kind = Kind> extends SendOptions {
  /** What kind of frame. */
  readonly kind: K
  /** What it carries. */
  readonly payload: Payload<K>
}

/** What an advisory says besides its text. */
export interface AdviseOptions extends SendOptions {
  /** Files it is about, relative to the repository, or as absolute paths. */
  readonly fileRefs?: readonly string[] | undefined
  /** The worktree one works in. */
  readonly worktree?: string | undefined
  /** The branch one works on. */
  readonly branch?: string | undefined
}

/** What a broadcast says besides its text. */
export interface BroadcastOptions extends SendOptions {
  /** What kind of thing has happened; default `other`. */
  readonly eventClass?: 'merged' | 'stale' | 'released' | 'other' | undefined
  /** What it is about: commits, pull requests, addresses. */
  readonly refs?: readonly string[] | undefined
}

/** What a handover says besides its text. */
export interface HandoverOptions extends SendOptions {
  /** Files and places to look at. */
  readonly pointerRefs?: readonly string[] | undefined
  /** The id of the session that leaves it; default: the caller's own. */
  readonly previousSessionId?: string | undefined
  /** The session it is for; absent, whichever takes it over first. */
  readonly nextSessionId?: string | undefined
}

/** What is announced of a lease. */
export interface LockOptions extends SendOptions {
  /** Life of the lease and of its announcement, in milliseconds; default five minutes, at most an hour. */
  readonly ttlMs?: number | undefined
  /** What for, in words. */
  readonly intent?: string | undefined
}

/** How a lease is let go. */
export interface UnlockOptions extends SendOptions {
  /** What it was on: whoever reads the frame need not look for its request. Absent, it has the id alone. */
  readonly resource?: string | undefined
}

/** A kind, and what its payload is before the daemon has looked at it. */
export interface LooseContent {
  readonly kind: Kind
  readonly payload: Readonly<Record<string, unknown>>
}

/** A frame that the daemon still has to accept, and what was blacked out of it. */
interface ComposedMessage {
  readonly frame: object
  readonly warnings: readonly Warning[]
}

/** Fills in what its author leaves out, and leaves out what its author may not mean to tell. */
export function composeMessage(
  message: LooseContent & SendOptions,
  author: Author,
  nowMs: number,
): ComposedMessage {
  const { kind, redact, ttlMs, provenance = {}, draftedWith = author.draftedWith } = message
  const { payload, warnings } = redactPayload(kind, message.payload, redact)
  const draft = {
    kind,
    payload,
    ttlMs,
    recipientHandle: message.recipientHandle ?? handleOf(message.scope) ?? author.senderHandle,
    provenance: {
      compute_location: provenance.computeLocation,
      method: provenance.method,
      return_ref: provenance.returnRef,
      context_check: provenance.contextCheck,
      basis: provenance.basis,
    },
  }
  return { frame: composeFrame(draft, { ...author, draftedWith }, nowMs), warnings }
}

/**
 * The wrapper of docs/http.md §5 on one line.
 *
 * @throws AgentdError `frame-too-large` here already, since it would end the pipe for the frames behind it;
 *   `field-invalid` for a payload nested so deeply that it has no text
 */
export function encodeSubmission(frame: Frame | object, scope: string | undefined): string {
  const text = encodeJson(frame, 'frame')
  if (octetLength(text) > MAX_FRAME_OCTETS) throw frameTooLarge()
  return scope === undefined
    ? `{"frame":${text}}`
    : `{"recipient_scope":${JSON.stringify(scope)},"frame":${text}}`
}

/** @returns undefined for a scope that the daemon will refuse */
function handleOf(scope: string | undefined): string | undefined {
  const parsed = scope === undefined ? undefined : readScope(scope)
  return parsed === undefined ? undefined : scopeHandle(parsed)
}
