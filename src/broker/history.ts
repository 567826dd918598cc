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

/** Frames read from the ring at a time. */
const PAGE_FRAMES = 256

/** Every retained frame, newest first, a page at a time. */
export function* newestFirst(ring: Ring): Generator<RetainedFrame> {
  let before = ring.lastSeq + 1
  for (;;) {
    const page = ring.readBack(before, PAGE_FRAMES)
    const last = page.at(-1)
    if (last === undefined) return
    yield* page
    before = last.seq
  }
}

export function readHistory(ring: Ring, request: HistoryRequest): HistoryPage {
  return request.afterSeq === undefined ? newest(ring, request) : pageAfter(ring, request, request.afterSeq)
}

function newest(ring: Ring, { limit, admits }: HistoryRequest): HistoryPage {
  const frames: RetainedFrame[] = []
  for (const retained of newestFirst(ring)) {
    if (frames.length === limit) break
    if (admits(retained)) frames.push(retained)
  }
  return { frames: frames.toReversed(), nextSeq: undefined }
}

function pageAfter(ring: Ring, { limit, admits }: HistoryRequest, afterSeq: number): HistoryPage {
  const frames: RetainedFrame[] = []
  let cursor = afterSeq
  for (;;) {
    const page = ring.read(cursor, PAGE_FRAMES)
    for (const retained of page) {
      if (!admits(retained)) continue
      if (frames.length === limit) return { frames, nextSeq: frames.at(-1)?.seq }
      frames.push(retained)
    }
    const last = page.at(-1)
    if (last === undefined) return { frames, nextSeq: undefined }
    cursor = last.seq
  }
}
