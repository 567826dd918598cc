/**
 * What needs the person and is not answered, as a fold over what passes. It knows no clock, no ring and no session.
 *
 * @see docs/http.md §7; SEAT-08
 */
import type { NeedClosing, NeedType } from '../../protocol/http/need.ts'

/** Needs kept; with one more, the oldest that anyone may answer gives way. */
export const MAX_NEEDS = 1_000

/** How long a need stays open, in milliseconds. */
export const NEED_MS = 24 * 60 * 60_000

/** One need. Times are wall times in milliseconds. */
export interface OpenNeed {
  /** What answers name it by; none has that of another sort. */
  readonly key: string
  /** As it was sent: `query_id`, `frame_id`, `diagnostic_id`, the id of an envelope, or an address. */
  readonly id: string
  readonly type: NeedType
  readonly addressed: 'you' | 'anyone'
  /** The place of what opened it; 0 for a prompt, which has none. */
  readonly seq: number
  readonly askedAtMs: number
  /** The end of the asker's window; undefined where it does not say. */
  readonly untilMs: number | undefined
  /** The session that asks; undefined for the principal itself. */
  readonly from: string | undefined
  /** The one entity whose answer counts; undefined where anybody's does. */
  readonly asked: string | undefined
  readonly text: string
}

/** What passed closes a need. */
export interface NeedEnd {
  readonly key: string
  readonly by: NeedClosing
  /** The entity it comes from; undefined for a frame. */
  readonly entity?: string | undefined
  /** Its place; what was sent before a need does not answer it. */
  readonly seq: number
}

/** What has become of a need. */
export type NeedChange =
  | { readonly change: 'opened' | 'changed'; readonly need: OpenNeed }
  | { readonly change: 'closed'; readonly need: OpenNeed; readonly by: NeedClosing }

export class OpenNeeds {
  readonly #tell: (change: NeedChange) => void
  /** By key, in the order they were opened. */
  #needs = new Map<string, OpenNeed>()
  /** Keys of those whose asker's window was over at the last look. */
  readonly #late = new Set<string>()
  #displaced = 0

  constructor(tell: (change: NeedChange) => void) {
    this.#tell = tell
  }

  get size(): number {
    return this.#needs.size
  }

  /** How many gave way to others. */
  get displaced(): number {
    return this.#displaced
  }

  all(): IterableIterator<OpenNeed> {
    return this.#needs.values()
  }

  has(key: string): boolean {
    return this.#needs.has(key)
  }

  /** One that is open already stays as it is. */
  open(need: OpenNeed): void {
    if (this.#needs.has(need.key)) return
    this.#needs.set(need.key, need)
    this.#tell({ change: 'opened', need })
    this.#makeRoom()
  }

  /** As {@link open}; another one under its key has come to its end. */
  replace(need: OpenNeed): void {
    const before = this.#needs.get(need.key)
    if (before?.askedAtMs === need.askedAtMs && before.text === need.text) return
    this.close(need.key, 'activity')
    this.open(need)
  }

  /** Those of before, found when some have come already. */
  openPast(past: readonly OpenNeed[]): void {
    const present = [...this.#needs.values()]
    this.#needs = new Map()
    for (const need of [...past.toSorted((a, b) => a.seq - b.seq), ...present]) this.open(need)
  }

  /** The first answer closes; what answers none that is open changes nothing. */
  answer(end: NeedEnd): void {
    const need = this.#needs.get(end.key)
    if (need !== undefined && isAnswer(end, need)) this.close(need.key, end.by)
  }

  close(key: string, by: NeedClosing): void {
    const need = this.#needs.get(key)
    if (need === undefined) return
    this.#needs.delete(key)
    this.#late.delete(key)
    this.#tell({ change: 'closed', need, by })
  }

  /** What the time that has passed makes of them. */
  look(nowMs: number): void {
    for (const need of this.#needs.values()) {
      if (nowMs >= endMs(need)) this.close(need.key, 'expired')
      else if (isLate(need, nowMs) && !this.#late.has(need.key)) {
        this.#late.add(need.key)
        this.#tell({ change: 'changed', need })
      }
    }
  }

  /** When time makes something else of one of them, wall time in milliseconds; Infinity for never. */
  get nextLookMs(): number {
    let next = Infinity
    for (const need of this.#needs.values())
      next = Math.min(next, this.#late.has(need.key) ? endMs(need) : nextLookMs(need))
    return next
  }

  #makeRoom(): void {
    if (this.#needs.size <= MAX_NEEDS) return
    this.#displaced += 1
    this.close(this.#least(), 'displaced')
  }

  /** The key of the oldest that anyone may answer; where there is none, of the oldest. */
  #least(): string {
    let oldest: string | undefined
    for (const { key, addressed } of this.#needs.values()) {
      if (addressed === 'anyone') return key
      oldest ??= key
    }
    return oldest ?? ''
  }
}

/** When time first makes something else of a need that is open, wall time in milliseconds. */
export function nextLookMs(need: OpenNeed): number {
  return Math.min(endMs(need), need.untilMs ?? Infinity)
}

function endMs({ askedAtMs }: OpenNeed): number {
  return askedAtMs + NEED_MS
}

/** Whether the asker's window is over; an answer still goes to it. */
export function isLate({ untilMs }: OpenNeed, nowMs: number): boolean {
  return untilMs !== undefined && nowMs >= untilMs
}

/** Whether it answers a need of its key: it came later, and from whoever was asked. */
export function isAnswer({ entity, seq }: NeedEnd, { asked, seq: openedSeq }: OpenNeed): boolean {
  return seq > openedSeq && (asked === undefined || asked === entity)
}
