/**
 * `up_to`: everything not concluded yet, up to and with a place, a page of it a step. A mailbox may hold all of the ring,
 * and every place is a row to be read.
 *
 * @see docs/http.md §7, HD-07, HD-10
 */
import { STEP_FRAMES } from '../ring/background.ts'
import type { Conclusion } from '../ring/delivery.ts'
import type { Ring } from '../ring/ring.ts'
import { topicOf } from './coalesce.ts'

/** What is to be concluded, and how. */
export interface UpTo {
  /** In order: what waits in the mailbox, and what a stream may have carried. */
  readonly places: readonly number[]
  /** Those of them that wait: they were not read from a stream. */
  readonly waiting: ReadonlySet<number>
  /** What was said of the rest. */
  readonly state: Conclusion
  /** Wall time in milliseconds. */
  readonly nowMs: number
  readonly ring: Pick<Ring, 'get'>
  /** Records an end for some places. @returns how many that was news about */
  readonly conclude: (places: readonly number[], state: Conclusion) => number
}

/**
 * Goes from the newest to the oldest, since of advisories about the same files the newest stands for the others:
 * whatever no look at the mailbox would have shown is not called seen.
 *
 * @returns how many places that was news about
 */
export function* concludeUpTo(wish: UpTo): Generator<undefined, number> {
  const { places, conclude } = wish
  const topics = new Set<string>()
  let news = 0
  for (let end = places.length; end > 0; end -= STEP_FRAMES) {
    const ends = endsOf(places.slice(Math.max(0, end - STEP_FRAMES), end).toReversed(), wish, topics)
    for (const [state, some] of ends) news += conclude(some, state)
    yield
  }
  return news
}

/** @param topics - met so far, by newer ones */
function endsOf(page: readonly number[], wish: UpTo, topics: Set<string>): Map<Conclusion, number[]> {
  const ends = new Map<Conclusion, number[]>()
  for (const place of page) {
    const end = wish.waiting.has(place) ? endOf(place, wish, topics) : wish.state
    const some = ends.get(end)
    if (some === undefined) ends.set(end, [place])
    else some.push(place)
  }
  return ends
}

function endOf(place: number, { ring, state, nowMs }: UpTo, topics: Set<string>): Conclusion {
  const retained = ring.get(place)
  if (retained === undefined) return state
  if (retained.expiresAtMs <= nowMs) return 'expired'
  const topic = topicOf(retained)
  if (topic === undefined) return state
  if (topics.has(topic)) return 'dropped'
  topics.add(topic)
  return state
}
