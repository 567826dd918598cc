/**
 * Batches of another node, as the broker is given them.
 */
import { decodeEnvelopeText } from '../../src/aee/envelope/envelope.ts'
import type {
  ArrivingEnvelope,
  ArrivingFrame,
  IngestBatch,
  IngestItem,
  Ingested,
} from '../../src/broker/ingest/ingest-batch.ts'
import { expiresAtMs } from '../../src/protocol/frame/frame.ts'
import { parseSubmission } from '../../src/protocol/frame/submission.ts'
import type { Workbench } from '../broker/workbench.ts'
import { validEnvelope } from './envelopes.ts'
import { validFrame, type FrameOverrides } from './frames.ts'
import type { Kind } from '../../src/protocol/frame/kinds.ts'

export const REALM = 'p.alice'

/** The lane of a node of the realm. */
export function laneOf(node: string): string {
  return `agentd.v1.${REALM}.f.${node}`
}

/** How an arriving frame differs from a plain advisory of `~alice/cc@far`. */
export interface ArrivalWish<K extends Kind> {
  readonly kind?: K
  readonly scope?: string
  readonly frame?: FrameOverrides<K>
  readonly senderAddress?: string
  readonly expiresAtMs?: number
}

/** A frame that a node accepted at a place of its own. */
export function arrivingFrame<K extends Kind = 'agent_advisory'>(
  eventId: string,
  { kind, scope, frame, senderAddress = '~alice/cc@far', ...wish }: ArrivalWish<K> = {},
): ArrivingFrame {
  const sent = validFrame(kind, frame)
  const submission = parseSubmission({
    frame: sent,
    ...(scope !== undefined && { recipient_scope: scope }),
  })
  return {
    kind: 'frame',
    eventId,
    submission,
    senderAddress,
    tool: 'cc',
    expiresAtMs: wish.expiresAtMs ?? expiresAtMs(submission.frame),
  }
}

/** As {@link arrivingFrame}, an envelope. */
export function arrivingEnvelope(eventId: string, changes: Record<string, unknown> = {}): ArrivingEnvelope {
  return {
    kind: 'envelope',
    eventId,
    decoded: decodeEnvelopeText(JSON.stringify(validEnvelope(changes))),
    senderAddress: '~alice/cc@far',
    tool: 'cc',
    expiresAtMs: Number.MAX_SAFE_INTEGER,
    priority: 'normal',
  }
}

/** What a node sent. */
export function batchOf(
  items: readonly IngestItem[],
  { node = 'devbox', seq = 1, ...more }: Partial<IngestBatch> & { seq?: number } = {},
): IngestBatch {
  const last = items.findLast((item) => 'eventId' in item)
  return {
    realm: REALM,
    lane: laneOf(node),
    node,
    epoch: 'far1',
    cursor: { seq, node, last: last !== undefined && 'eventId' in last ? last.eventId : null },
    items,
    ...more,
  }
}

/** Gives a batch to a workbench, and runs its loop until it is applied. */
export async function ingest(bench: Workbench, batch: IngestBatch): Promise<readonly Ingested[]> {
  const state = { isOver: false }
  const applied = bench.broker.ingest(batch).finally(() => {
    state.isOver = true
  })
  for (; !state.isOver; await new Promise(setImmediate)) bench.turn()
  return applied
}

/** What a node of `~bob` sends to `~alice` by an organisation both are in. */
export const BOBS = { realm: 'o.acme', lane: 'agentd.v1.o.acme.m-alice.bob.box', node: '~bob/box' } as const

/** A frame of `~bob`, made just now; a broadcast to all of `~alice` unless it says otherwise. */
export function foreignFrame<K extends Kind = 'agent_broadcast'>(
  eventId: string,
  { kind, scope = '~alice/*', frame, senderAddress = '~bob/cc@b1' }: ArrivalWish<K> = {},
): ArrivingFrame {
  const by = { sender_handle: '~bob', acted_by: '~bob', recipient_handle: '~alice' }
  const made = { ...by, created_at: new Date().toISOString(), ...frame }
  // Whatever the kind, these members are every frame's.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const wish = { kind: kind ?? 'agent_broadcast', scope, senderAddress, frame: made } as ArrivalWish<Kind>
  return arrivingFrame(eventId, wish)
}
