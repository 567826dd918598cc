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

const NOTHING: ThreadPage = { items: [], nextSeq: undefined }

/** Reads a page, with other work in between. */
export function readThread(ring: Ring, request: ThreadRequest, background: Background): Promise<ThreadPage> {
  const { corr, afterSeq, limit } = request
  const { epoch } = ring
  const links = ring.thread(corr).map(({ seq, facts: { id, replyTo } }) => ({ seq, id, replyTo }))
  const order = causalOrder(links)
  const places = order.slice(afterSeq === undefined ? 0 : startBehind(order, afterSeq))
  const items: Retained[] = []
  let taken = 0
  let length = 0
  const isFull = (): boolean => items.length === limit || length >= MAX_PAGE_LENGTH
  return background.until(() => {
    // A ring that began anew meanwhile gives no sense to the places found so far.
    if (ring.epoch !== epoch) return NOTHING
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

/** Behind the envelope at a place; where that is no longer retained, from the first one that came after it. */
function startBehind(order: readonly { readonly seq: number }[], afterSeq: number): number {
  const place = order.findIndex(({ seq }) => seq === afterSeq)
  if (place !== -1) return place + 1
  const next = order.findIndex(({ seq }) => seq > afterSeq)
  return next === -1 ? order.length : next
}
