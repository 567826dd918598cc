/**
 * Retained frames in pages.
 *
 * @see design/wire.md §5
 */
import type { RetainedFrame, Ring } from './ring.ts'

/** Which frames, and from where. */
export interface HistoryRequest {
  /** Page on from this place; absent, the newest frames. */
  readonly afterSeq: number | undefined
  readonly limit: number
  readonly admits: (retained: RetainedFrame) => boolean
}

/** A page, oldest first; `nextSeq` is the place to page on from, when there is more. */
export interface HistoryPage {
  readonly frames: readonly RetainedFrame[]
  readonly nextSeq: number | undefined
}

export function readHistory(ring: Ring, request: HistoryRequest): HistoryPage {
  return request.afterSeq === undefined ? newest(ring, request) : pageAfter(ring, request, request.afterSeq)
}

function newest(ring: Ring, { limit, admits }: HistoryRequest): HistoryPage {
  const frames: RetainedFrame[] = []
  for (let seq = ring.lastSeq; seq >= ring.firstSeq && frames.length < limit; seq -= 1) {
    const retained = ring.get(seq)
    if (retained !== undefined && admits(retained)) frames.push(retained)
  }
  return { frames: frames.toReversed(), nextSeq: undefined }
}

function pageAfter(ring: Ring, { limit, admits }: HistoryRequest, afterSeq: number): HistoryPage {
  const frames: RetainedFrame[] = []
  for (let seq = Math.max(afterSeq + 1, ring.firstSeq); seq <= ring.lastSeq; seq += 1) {
    const retained = ring.get(seq)
    if (retained === undefined || !admits(retained)) continue
    if (frames.length === limit) return { frames, nextSeq: frames.at(-1)?.seq }
    frames.push(retained)
  }
  return { frames, nextSeq: undefined }
}
