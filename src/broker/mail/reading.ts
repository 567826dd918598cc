/**
 * What a mailbox holds, worked out when somebody asks: its lanes, each from where it is read, without what was taken (HD-03).
 */
import { PRIORITIES, type Priority } from '../../aee/envelope/envelope.ts'
import { entityLane, ownLane, scopeLanesOf, type Lanes } from './lanes.ts'
import { Runs, type Run } from './runs.ts'

/** Part of the sequence over which a mailbox stood in for a session: what was sent to it then waits there. */
export interface Stretch {
  /** Whose scopes are meant: its own, or those of whom it carries on for. */
  readonly address: string
  /** Whether frames to those scopes wait. */
  readonly frames: boolean
  /** The entities whose envelopes wait. */
  readonly entities: readonly string[]
  readonly from: number
  /** The last place of it; absent while it goes on. */
  readonly to?: number
  /** Nobody had emptied the mailbox for so long that nothing is queued for it: what is sent meanwhile is lost. */
  readonly isPassedOver?: boolean
}

/** What is read. */
export interface ReadingParts {
  readonly address: string
  readonly lanes: Lanes
  readonly stretches: readonly Stretch[]
  /** Everything before this place has been read, or counted as lost. */
  readonly from: number
  /** Places of its lanes that do not wait any more, or never did. */
  readonly taken: Runs
}

/** Some runs, and between which places they count. */
interface Source extends Run {
  readonly runs: Runs
  readonly priority: Priority
}

/** Good until the next frame, or the next change of the mailbox. */
export class Reading {
  readonly #taken: Runs
  readonly #sources: readonly Source[]

  constructor(parts: ReadingParts) {
    this.#taken = parts.taken
    this.#sources = [...rangesOf(parts)].flatMap(([name, ranges]) => sourcesOf(parts.lanes, name, ranges))
  }

  /** Places between two that wait. */
  countIn(first: number, last: number): number {
    const there = this.#sources.map(({ runs, ...source }) =>
      runs.countIn(Math.max(source.first, first), Math.min(source.last, last)),
    )
    return there.reduce((sum, count) => sum + count, 0) - this.#taken.countIn(first, last)
  }

  /** The oldest that wait behind a place, of one priority or of all. */
  after(seq: number, limit: number, wanted?: Priority): readonly number[] {
    const found = this.#sources
      .filter(({ priority }) => wanted === undefined || priority === wanted)
      .map(({ runs, first, last }) =>
        runs.collect({ first: Math.max(first, seq + 1), last }, limit, (one) => !this.#taken.has(one)),
      )
      .filter(({ length }) => length > 0)
    if (found.length <= 1) return found[0] ?? []
    return found
      .flat()
      .toSorted((a, b) => a - b)
      .slice(0, limit)
  }

  /**
   * The places that a look of so many finds: the oldest, and behind them the oldest of each priority that is not
   * the usual one. So nothing urgent waits behind a backlog until it is read, and nothing low behind the urgent.
   */
  window(limit: number): readonly number[] {
    const oldest = this.after(0, limit)
    const last = oldest.at(-1) ?? 0
    const share = Math.ceil(limit / PRIORITIES.length)
    const beyond = PRIORITIES.filter((priority) => priority !== 'normal').flatMap((priority) =>
      this.after(last, share, priority),
    )
    return beyond.length === 0 ? oldest : [...oldest, ...beyond.toSorted((a, b) => a - b)]
  }

  /** Whether something waits. */
  has(seq: number): boolean {
    return !this.#taken.has(seq) && this.holds(seq)
  }

  /** Whether something is in its lanes, taken or not. */
  holds(seq: number): boolean {
    return this.#sourceOf(seq) !== undefined
  }

  /** What something that waits counts as, without a look at it. */
  readonly priorityAt = (seq: number): Priority => this.#sourceOf(seq)?.priority ?? 'normal'

  #sourceOf(seq: number): Source | undefined {
    return this.#sources.find(({ runs, first, last }) => first <= seq && seq <= last && runs.has(seq))
  }
}

/** Lane → between which places it is read: two that one mailbox carries on for may have had it at one time. */
function rangesOf({ address, stretches, from }: ReadingParts): ReadonlyMap<string, readonly Run[]> {
  const ranges = new Map<string, Run[]>([[ownLane(address), [{ first: from, last: Infinity }]]])
  for (const stretch of stretches) {
    const range = { first: Math.max(stretch.from, from), last: stretch.to ?? Infinity }
    for (const name of stretch.isPassedOver === true ? [] : lanesOf(stretch)) {
      const there = ranges.get(name)
      if (there === undefined) ranges.set(name, [range])
      else there.push(range)
    }
  }
  return ranges
}

/** The lanes of everything that waits over a stretch. */
function lanesOf({ address, frames, entities }: Stretch): readonly string[] {
  return [...(frames ? scopeLanesOf(address) : []), ...entities.map(entityLane)]
}

function sourcesOf(lanes: Lanes, name: string, ranges: readonly Run[]): readonly Source[] {
  const lane = lanes.find(name)
  if (lane === undefined) return []
  const used = PRIORITIES.filter((priority) => lane[priority].length > 0)
  const apart = ranges.length === 1 ? ranges : [...new Runs(ranges.toSorted((a, b) => a.first - b.first))]
  return apart.flatMap(({ first, last }) =>
    used.map((priority) => ({ first, last, runs: lane[priority], priority })),
  )
}
