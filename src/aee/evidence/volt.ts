/**
 * VOLT 0.1: the hash-chained ledger of what happened to envelopes, metadata only.
 *
 * Composing and writing an event. Each names the hash of the one before it, so that none can be changed, taken
 * out or put in without every later one showing it. It never disturbs transport: who writes it lets it fail.
 *
 * @see docs/requirements.md §2.3, AEE-C13…AEE-C15, AEE-C24
 */
import type { ErrorCode } from '../../core/errors.ts'
import { sha256Hex } from '../envelope/canonical.ts'
import type { Envelope } from '../envelope/envelope.ts'
import { toLedgerText } from './ledger-text.ts'
import { voltCanonicalJson } from './volt-canonical.ts'

/** The version this writes and verifies. */
export const VOLT_VERSION = '0.1'

/** What the first event has in the place of a hash before it. */
export const VOLT_GENESIS = '0'.repeat(64)

/** Who an event is about. */
export interface VoltActor {
  readonly actor_type: 'agent' | 'human' | 'system' | 'tool' | 'runner'
  readonly actor_id: string
}

/** What an event belongs to. */
export interface VoltContext {
  /** The `corr` of the envelope. */
  readonly correlation_id: string
  /** The `id` of the envelope. */
  readonly aee_envelope_id?: string
}

/** One event, under the names it has in its line. */
export interface VoltEvent {
  readonly volt_version: string
  readonly event_id: string
  readonly run_id: string
  readonly ts: string
  /** From 1, without gaps. */
  readonly seq: number
  readonly event_type: string
  readonly actor: VoltActor
  readonly context: VoltContext
  readonly payload: Readonly<Record<string, unknown>>
  readonly prev_hash: string
  readonly hash: string
}

/** What the next event needs to know of the last one. */
export type VoltLink = Pick<VoltEvent, 'run_id' | 'seq' | 'hash'>

/** An event before it has its place in the chain. */
export interface VoltDraft {
  readonly eventId: string
  /** Of the first event; those that follow stay in its run, since a ledger holds one. */
  readonly runId: string
  /** Wall time in milliseconds since 1970. */
  readonly atMs: number
  /** Dotted and lower-case, such as `run.started`. */
  readonly eventType: string
  readonly actor: VoltActor
  readonly context: VoltContext
  readonly payload: Readonly<Record<string, unknown>>
}

/** Something that happened to an envelope. */
export interface EnvelopeObservation extends Pick<VoltDraft, 'eventId' | 'runId' | 'atMs'> {
  readonly eventType: 'aee.envelope.received' | 'aee.envelope.sent' | 'aee.message.rejected'
  /** Who observed it, a system: `service.agentd`. */
  readonly actorId: string
  readonly sizeBytes: number
  /** Undefined for what was rejected and could not be read as one. */
  readonly envelope?: Envelope | undefined
  /** `sha256:` and the digest of its canonical form, all members included. */
  readonly hash?: string | undefined
  /** How it went out: over a stream, or from a mailbox by one of the ways there are. */
  readonly via?: string | undefined
  /** Why it was rejected. */
  readonly code?: ErrorCode | undefined
}

/** Member names that an event lists of a payload; their values never (AEE-C24). */
const MAX_PAYLOAD_KEYS = 64

/** The event that follows another; the first of a ledger follows none. */
export function voltEvent(previous: VoltLink | undefined, draft: VoltDraft): VoltEvent {
  const event = {
    volt_version: VOLT_VERSION,
    event_id: draft.eventId,
    run_id: previous?.run_id ?? draft.runId,
    ts: new Date(draft.atMs).toISOString(),
    seq: (previous?.seq ?? 0) + 1,
    event_type: draft.eventType,
    actor: draft.actor,
    context: draft.context,
    payload: draft.payload,
    prev_hash: previous?.hash ?? VOLT_GENESIS,
  }
  return { ...event, hash: voltHash(event) }
}

/** The event that tells of an envelope: its ids, its size and what kind of thing it is, none of what it says. */
export function envelopeEvent(previous: VoltLink | undefined, observed: EnvelopeObservation): VoltEvent {
  const { envelope, hash, via, actorId, sizeBytes, code, ...draft } = observed
  return voltEvent(previous, {
    ...draft,
    actor: { actor_type: 'system', actor_id: actorId },
    context:
      envelope === undefined
        ? { correlation_id: previous?.run_id ?? draft.runId }
        : { correlation_id: toLedgerText(envelope.corr), aee_envelope_id: toLedgerText(envelope.id) },
    payload: {
      size_bytes: sizeBytes,
      ...(code !== undefined && { code }),
      ...(via !== undefined && { via }),
      ...(hash !== undefined && { envelope_hash: hash }),
      ...(envelope !== undefined && describe(envelope)),
    },
  })
}

/** An event as its line, without the line feed; what `verifyVolt` reads. */
export function formatVoltEvent(event: VoltEvent): string {
  return voltCanonicalJson(event)
}

/**
 * The hash of an event: SHA-256 of its canonical form without `hash`, as 64 lower-case hex digits.
 *
 * @throws UsageError for an event without a canonical form
 */
export function voltHash(event: object): string {
  const rest = Object.fromEntries(Object.entries(event).filter(([name]) => name !== 'hash'))
  return sha256Hex(voltCanonicalJson(rest))
}

function describe({ type, intent, priority, payload }: Envelope): Readonly<Record<string, unknown>> {
  const keys = Object.keys(payload).slice(0, MAX_PAYLOAD_KEYS)
  return { type, intent: toLedgerText(intent), priority, payload_keys: keys.map((key) => toLedgerText(key)) }
}
