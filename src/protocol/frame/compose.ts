/**
 * The one composer: a complete valid frame from what its author actually has to say.
 *
 * The daemon uses it for verbs, the client library for everything it sends, so that ids, time, attribution
 * and provenance are filled in one way.
 */
import { newUuid } from '../../core/ids.ts'
import { ENVELOPE_VERSION } from './frame.ts'
import type { Kind, Payload } from './kinds.ts'

/** The instrument a shell or a script speaks through when it names none (ACQ-12). */
export const SHELL_INSTRUMENT = '~agentd-cli'

/** Who a frame is from. */
export interface Author {
  readonly senderHandle: string
  readonly actedBy: string
  readonly draftedWith: string
  /** Tool class of the session; undefined for the principal itself. */
  readonly tool: string | undefined
}

/** How the content came about (memo §3.3); every member has a default that claims no more than is known. */
export interface Provenance {
  readonly compute_location?: 'server-active' | 'server-aggregate' | 'local-only' | undefined
  readonly method?: readonly string[] | undefined
  readonly return_ref?: string | undefined
  readonly context_check?: 'passed' | 'skipped' | undefined
  readonly basis?: string | undefined
}

/** What a frame is about. */
export interface Draft<K extends Kind = Kind> {
  readonly kind: K
  readonly payload: Payload<K> | Readonly<Record<string, unknown>>
  readonly recipientHandle: string
  readonly ttlMs?: number | undefined
  readonly provenance?: Provenance | undefined
}

/** Tool classes whose frames a person or a script writes; no inference stands behind them. */
const TOOLS_WITHOUT_INFERENCE: ReadonlySet<string> = new Set(['cli', 'human', 'script', 'cron'])

/** @returns an object that still has to pass `parseFrame`, as any other frame does */
export function composeFrame(draft: Draft, author: Author, nowMs: number): Readonly<Record<string, unknown>> {
  const { provenance = {} } = draft
  const direct = author.tool === undefined || TOOLS_WITHOUT_INFERENCE.has(author.tool)
  return {
    envelope_version: ENVELOPE_VERSION,
    frame_id: newUuid(),
    kind: draft.kind,
    sender_handle: author.senderHandle,
    recipient_handle: draft.recipientHandle,
    created_at: new Date(nowMs).toISOString(),
    ...(draft.ttlMs !== undefined && { ttl_ms: draft.ttlMs }),
    payload: draft.payload,
    acted_by: author.actedBy,
    drafted_with: author.draftedWith,
    // "local-only" asserts that no inference left the device (AC-025): true of a shell, not of an agent.
    provenance_compute_location: provenance.compute_location ?? (direct ? 'local-only' : 'server-active'),
    provenance_method: provenance.method ?? [direct ? 'direct' : 'session-context'],
    ...(provenance.return_ref !== undefined && { provenance_return_ref: provenance.return_ref }),
    provenance_context_check: provenance.context_check ?? 'skipped',
    provenance_basis: provenance.basis ?? 'agentd',
  }
}
