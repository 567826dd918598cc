/**
 * Reports between nodes: how what they are about is named, and which of our frames they mean.
 */
import { mayHaveReached, type Reach, type Reporter } from './reporter.ts'
import { envelopeKey, isEnvelopeKey, type Retained } from '../ring/retained.ts'
import type { Ring } from '../ring/ring.ts'
import type { RemoteReceipt, ReportItem } from '../origins/origins.ts'
import { foreignHandle } from '../../protocol/address/foreign.ts'
import type { ArrivingEnvelope, ArrivingFrame, RefusedArrival } from './ingest-batch.ts'

const ENVELOPE_PREFIX = 'aee:'

/** What something retained is called between nodes: a frame's id, or `aee:` and an envelope's. */
export function idOf(retained: Retained): string {
  return retained.type === 'frame' ? retained.key : `${ENVELOPE_PREFIX}${retained.envelope.id}`
}

/** As {@link idOf}, of what has come and is not retained. */
export function idOfItem(item: ArrivingFrame | ArrivingEnvelope | RefusedArrival): string {
  if (item.kind === 'refused') return item.id
  if (item.kind === 'frame') return item.submission.head.frame_id.toLowerCase()
  return `${ENVELOPE_PREFIX}${item.decoded.envelope.id}`
}

/** What the ring finds it by. */
export function keyOfId(id: string): string {
  if (id.startsWith(ENVELOPE_PREFIX)) return envelopeKey(id.slice(ENVELOPE_PREFIX.length))
  return id.toLowerCase()
}

/** What reports are judged by. */
interface ReportParts extends Reach {
  readonly ring: Ring
  /** Who reports, and over which realm. */
  readonly by: Omit<Reporter, 'handle'> & { readonly node: string }
  readonly learnIds: () => Promise<void>
}

/**
 * The lines of a report that are about frames accepted here first and still retained. Another principal's node speaks of
 * what may have come to it alone, and of itself alone: that it has it, not with which session (FED-52, FED-59).
 *
 * @throws AgentdError `closing`; as the ring, when the disk refuses to be read
 */
export async function remoteReceipts(
  items: readonly ReportItem[],
  { ring, by, learnIds, ...reach }: ReportParts,
): Promise<readonly RemoteReceipt[]> {
  const receipts: RemoteReceipt[] = []
  const { node } = by
  const stranger = foreignHandle(node, reach.authority)
  for (const [id, address, state, atMs, detail] of items) {
    const key = keyOfId(id)
    if (!isEnvelopeKey(key) && ring.findKnown(key) === undefined) await learnIds()
    const found = ring.find(key)
    if (found === undefined || found.origin !== undefined) continue
    if (stranger !== undefined && !mayHaveReached(found, { ...by, handle: stranger }, reach)) continue
    const told = stranger === undefined || address === '' ? address : stranger
    receipts.push({ seq: found.seq, node, address: told, state, atMs, detail })
  }
  return receipts
}
