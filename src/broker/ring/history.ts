/**
 * Retained frames in pages.
 *
 * @see docs/http.md §5
 */
import type { Asker } from './asker.ts'
import { STEP_FRAMES, type Background } from './background.ts'
import type { Search } from './facts-table.ts'
import type { Retained } from './retained.ts'
import type { Ring } from './ring.ts'

/** Which frames, and from where. */
export interface HistoryRequest {
  /** Page on from this place; absent, the newest frames. */
  readonly afterSeq: number | undefined
  /** The newest before this place; absent, the newest there are. Only without `afterSeq`. */
  readonly beforeSeq?: number | undefined
  readonly limit: number
  /** A page of the newest ends at what was accepted before this wall time, in milliseconds; absent, at the oldest there is. */
  readonly sinceMs?: number
  /** What is read; what it may want besides is left to `admits`. */
  readonly search: Search
  readonly asker: Asker
  readonly admits: (retained: Retained) => boolean
}

/** A page, oldest first; `nextSeq` is the place to page on from, when there is more. */
export interface RetainedPage {
  readonly frames: readonly Retained[]
  readonly nextSeq: number | undefined
  /** Of a page of the newest, the place before which there may be more. */
  readonly olderSeq?: number | undefined
}

/**
 * Text one page holds before it is full, whatever its limit: about six thousand usual frames. A thousand of the
 * largest would be 64 MiB in one answer.
 */
const MAX_PAGE_LENGTH = 4 * 1024 * 1024

const NOTHING: RetainedPage = { frames: [], nextSeq: undefined }

/** Reads a page, with other work in between; what the search does not want is not read (HD-12). */
export function readHistory(
  ring: Ring,
  request: HistoryRequest,
  background: Background,
): Promise<RetainedPage> {
  const { epoch } = ring
  const page =
    request.afterSeq === undefined ? newest(ring, request) : pageAfter(ring, request, request.afterSeq)
  // A ring that began anew meanwhile gives no sense to the places found so far.
  return background.until(() => (ring.epoch === epoch ? page() : NOTHING), request.asker)
}

/** Frames found so far, within both bounds. */
class Found {
  readonly frames: Retained[] = []
  readonly #limit: number
  readonly #asker: Asker
  #length = 0

  constructor({ limit, asker }: HistoryRequest) {
    this.#limit = limit
    this.#asker = asker
  }

  get isFull(): boolean {
    return this.frames.length === this.#limit || this.#length >= MAX_PAGE_LENGTH
  }

  add(retained: Retained): void {
    this.#length += retained.text.length
    this.#asker.holds(this.#length)
    this.frames.push(retained)
  }
}

function newest(ring: Ring, request: HistoryRequest): () => RetainedPage | undefined {
  const { admits, search, sinceMs = -Infinity } = request
  const found = new Found(request)
  let before = request.beforeSeq ?? ring.lastSeq + 1
  return () => {
    const page = ring.lookBack.before(before, STEP_FRAMES, search)
    // Nothing more of what is known: there may be something in what is not.
    if (page.length === 0 && !ring.lookBack.learn()) return undefined
    for (const retained of page) {
      before = retained.acceptedAtMs < sinceMs ? 0 : retained.seq
      if (before > 0 && admits(retained)) found.add(retained)
      if (found.isFull || before === 0) break
    }
    const isEnd = page.length === 0 || before <= ring.firstSeq
    if (!found.isFull && !isEnd) return undefined
    const olderSeq = isEnd ? undefined : before
    return { frames: found.frames.toReversed(), nextSeq: undefined, olderSeq }
  }
}

function pageAfter(ring: Ring, request: HistoryRequest, afterSeq: number): () => RetainedPage | undefined {
  const { admits, search } = request
  const found = new Found(request)
  let cursor = afterSeq
  return () => {
    if (!ring.lookBack.learn(cursor)) return undefined
    const page = ring.lookBack.after(cursor, STEP_FRAMES, search)
    for (const retained of page) {
      cursor = retained.seq
      if (!admits(retained)) continue
      if (found.isFull) return { frames: found.frames, nextSeq: found.frames.at(-1)?.seq }
      found.add(retained)
    }
    const isEnd = page.length === 0 || cursor >= ring.lastSeq
    return isEnd ? { frames: found.frames, nextSeq: undefined } : undefined
  }
}
