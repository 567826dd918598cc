/**
 * The frames that the last daemon accepted lately, read in pages: which ids were used, and which questions are open.
 */
import type { RecentPage, RecentPast, RememberedFrame, RememberedQuery } from '../../broker/session/ledger.ts'
import { frameOf } from '../../broker/ring/retained.ts'
import type { FrameRow } from '../rows/row.ts'
import { fromRow } from '../rows/stored-item.ts'
import type { SqliteRing } from './sqlite-ring.ts'
import type { RememberedRow } from '../rows/statements.ts'

/** Frames looked through; as many as one generation of the dedup holds. */
const RECENT_FRAMES = 65_536

/** How old a frame's id may be to be remembered, in milliseconds; the window of the dedup. */
const RECENT_MS = 10 * 60_000

/** Places one page covers: about a millisecond of reading, so that nobody is held up by it. */
const PAGE_FRAMES = 128

export class RecentFrames implements RecentPast {
  readonly #ring: SqliteRing
  readonly #epoch: string
  readonly #acceptedAfterMs: number
  readonly #lastSeq: number
  /** The place up to which pages have been read. */
  #afterSeq: number

  /** @param nowMs - what counts as lately is as of this wall time */
  constructor(ring: SqliteRing, nowMs: number) {
    this.#ring = ring
    this.#epoch = ring.epoch
    this.#acceptedAfterMs = nowMs - RECENT_MS
    this.#lastSeq = ring.lastSeq
    this.#afterSeq = Math.max(ring.firstSeq - 1, ring.lastSeq - RECENT_FRAMES)
  }

  nextPage(): RecentPage | undefined {
    // A ring that began anew has places of its own, and nothing from before.
    if (this.#afterSeq >= this.#lastSeq || this.#ring.epoch !== this.#epoch) return undefined
    const upTo = Math.min(this.#afterSeq + PAGE_FRAMES, this.#lastSeq)
    const page = this.#ring.unlessDamaged(() => this.#read(upTo))
    this.#afterSeq = upTo
    return page
  }

  #read(upTo: number): RecentPage {
    const { statements } = this.#ring.file
    const bounds = [this.#afterSeq, upTo, this.#acceptedAfterMs] as const
    return {
      remembered: statements.remembered.all(...bounds).map(toRemembered),
      queries: statements.queries.all(...bounds).flatMap(readQuery),
    }
  }
}

function toRemembered(row: RememberedRow): RememberedFrame {
  const { seq, frame_id: frameId, digest, recipient_count: recipientCount, queued_count: queuedCount } = row
  return { frameId, digest, seq, recipientCount, queuedCount }
}

/** @throws DamagedRow */
function readQuery(row: FrameRow): readonly RememberedQuery[] {
  const retained = fromRow(row, noDelivery)
  if (retained.type !== 'frame') return []
  const frame = frameOf(retained)
  if (frame.kind !== 'agent_query') return []
  const { query_id: queryId, response_scope: responseScope } = frame.payload
  const { origin, scopeText, senderAddress, senderHandle } = retained
  return [{ queryId, responseScope, scopeText, senderHandle, senderAddress, origin }]
}

function noDelivery(): never {
  throw new TypeError('the receipts of a frame that is only looked into')
}
