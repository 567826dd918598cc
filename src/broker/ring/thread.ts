/**
 * One workflow in causal order, a page at a time.
 *
 * The order is worked out over what is known of each envelope, in steps with other work in between; only the
 * page's own are read.
 *
 * @see docs/http.md §9; AEE-012, AEE-C12
 */
import { GradualOrder } from '../../aee/thread/gradual-order.ts'
import type { Asker } from './asker.ts'
import type { Background } from './background.ts'
import type { RetainedEnvelope } from './retained.ts'
import type { Ring, ThreadLink } from './ring.ts'

/** Which page. */
export interface ThreadRequest {
  readonly corr: string
  /** Page on behind the envelope at this place; absent, from the first. */
  readonly afterSeq: number | undefined
  readonly limit: number
  readonly asker: Asker
}

/** A page; `nextSeq` is the place to page on from, when there is more. */
export interface ThreadPage<T> {
  readonly items: readonly T[]
  readonly nextSeq: number | undefined
}

/** Text one page holds before it is full, whatever its limit. */
const MAX_PAGE_LENGTH = 16 * 1024 * 1024

/** Links read in one step, a millisecond or two: of each only what says where it belongs is looked at, and its row is checked. */
export const STEP_LINKS = 32

/** Envelopes of a page read in one step: each has its refutations looked up besides, and is written out. */
export const STEP_ENVELOPES = 32

/** An order that was worked out, and what the workflow looked like then. */
interface KnownOrder {
  readonly corr: string
  readonly mark: string
  readonly places: readonly number[]
}

/** Pages of workflows; whoever pages on finds the order of the page before. */
export class Threads {
  readonly #ring: Ring
  readonly #background: Background
  /** The last one alone: pages of one workflow come one after the other. */
  #known: KnownOrder | undefined

  constructor(ring: Ring, background: Background) {
    this.#ring = ring
    this.#background = background
  }

  /**
   * Reads a page.
   *
   * @param toItem - what is made of each envelope, in the step that reads it
   */
  async page<T>(
    { corr, afterSeq, limit, asker }: ThreadRequest,
    toItem: (retained: RetainedEnvelope) => T,
  ): Promise<ThreadPage<T>> {
    const { epoch } = this.#ring
    const order = await this.#orderOf(corr, asker)
    const places = order.slice(afterSeq === undefined ? 0 : startBehind(order, afterSeq))
    const items: T[] = []
    let taken = 0
    let length = 0
    let lastSeq: number | undefined
    const isFull = (): boolean => items.length === limit || length >= MAX_PAGE_LENGTH
    return this.#background.until(() => {
      // A ring that began anew meanwhile gives no sense to the places found so far.
      if (this.#ring.epoch !== epoch) return { items: [], nextSeq: undefined }
      for (const seq of places.slice(taken, taken + STEP_ENVELOPES)) {
        if (isFull()) break
        taken += 1
        // It may have been trimmed or forgotten meanwhile.
        const retained = this.#ring.get(seq)
        if (retained?.type !== 'envelope') continue
        items.push(toItem(retained))
        lastSeq = seq
        length += retained.text.length
        asker.holds(length)
      }
      if (taken < places.length && !isFull()) return undefined
      return { items, nextSeq: taken < places.length ? lastSeq : undefined }
    }, asker)
  }

  async #orderOf(corr: string, asker: Asker): Promise<readonly number[]> {
    const mark = `${this.#ring.epoch} ${this.#ring.threadMark(corr)}`
    if (this.#known?.corr === corr && this.#known.mark === mark) return this.#known.places
    const gradual = new GradualOrder()
    await visitLinks({ ring: this.#ring, background: this.#background, asker }, corr, ({ seq, facts }) =>
      gradual.add({ seq, id: facts.id, replyTo: facts.replyTo }),
    )
    const steps = gradual.order()
    const next = (): readonly number[] | undefined => steps.next().value ?? undefined
    // Most are in order as they came, and wait for no other turn.
    const places = next() ?? (await this.#background.until(next, asker))
    this.#known = { corr, mark, places }
    return places
  }
}

/** For whom a workflow is read, from where, and with what in between. */
export interface LinkReader {
  readonly ring: Pick<Ring, 'thread'>
  readonly background: Background
  readonly asker: Asker
}

/** Shows every retained envelope of a workflow, in the order they came, in steps with other work in between. */
export async function visitLinks(
  { ring, background, asker }: LinkReader,
  corr: string,
  visit: (link: ThreadLink) => void,
): Promise<void> {
  let reached = 0
  await background.until(() => {
    const page = ring.thread(corr, reached, STEP_LINKS)
    for (const link of page) {
      visit(link)
      reached = link.seq
    }
    return page.length < STEP_LINKS ? true : undefined
  }, asker)
}

/** Behind the envelope at a place; where that is no longer retained, from the first one that came after it. */
function startBehind(order: readonly number[], afterSeq: number): number {
  const place = order.indexOf(afterSeq)
  if (place !== -1) return place + 1
  const next = order.findIndex((seq) => seq > afterSeq)
  return next === -1 ? order.length : next
}
