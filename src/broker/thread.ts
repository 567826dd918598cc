/**
 * One workflow in causal order, a page at a time.
 *
 * The order is worked out over what is known of each envelope; only the page's own are read.
 *
 * @see design/wire.md §9; AEE-012, AEE-C12
 */
import { causalOrder } from '../aee/thread.ts'
import { STEP_FRAMES, type Background } from './background.ts'
import type { Retained, Ring } from './ring.ts'

/** Which page. */
export interface ThreadRequest {
  readonly corr: string
  /** Page on behind the envelope at this place; absent, from the first. */
  readonly afterSeq: number | undefined
  readonly limit: number
}

/** A page; `nextSeq` is the place to page on from, when there is more. */
export interface ThreadPage {
  readonly items: readonly Retained[]
  readonly nextSeq: number | undefined
}

/** Text one page holds before it is full, whatever its limit. */
const MAX_PAGE_LENGTH = 16 * 1024 * 1024

/** Reads a page, with other work in between. */
export function readThread(ring: Ring, request: ThreadRequest, background: Background): Promise<ThreadPage> {
  const { corr, afterSeq, limit } = request
  const links = ring.thread(corr).map(({ seq, facts: { id, replyTo } }) => ({ seq, id, replyTo }))
  const order = causalOrder(links)
  // A place that is no longer retained has nothing behind it that could be told.
  const start = afterSeq === undefined ? 0 : order.findIndex(({ seq }) => seq === afterSeq) + 1
  const places = afterSeq !== undefined && start === 0 ? [] : order.slice(start)
  const items: Retained[] = []
  let taken = 0
  let length = 0
  const isFull = (): boolean => items.length === limit || length >= MAX_PAGE_LENGTH
  return background.until(() => {
    for (const { seq } of places.slice(taken, taken + STEP_FRAMES)) {
      if (isFull()) break
      taken += 1
      // It may have been trimmed or forgotten meanwhile.
      const retained = ring.get(seq)
      if (retained === undefined) continue
      items.push(retained)
      length += retained.text.length
    }
    if (taken < places.length && !isFull()) return undefined
    return { items, nextSeq: taken < places.length ? items.at(-1)?.seq : undefined }
  })
}
