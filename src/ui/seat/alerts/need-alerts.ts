/**
 * Which needs the person is told of, and when: each once, several that come together as one, and none that is settled or
 * seen by then.
 *
 * It is fed by nobody: whoever feeds a seat's model has it look afterwards. It says nothing itself either.
 *
 * @see SEAT-41
 */
import type { Clock, Timer } from '../../../core/clock.ts'
import { BoundedMap } from '../../../core/collections/bounded.ts'
import type { SeatNeed } from '../needs/need.ts'
import type { SeatModel } from '../seat-model.ts'
import { alertOf, alertOfSeveral, TOGETHER, type NeedAlert } from './alert-words.ts'

/** How long it waits after a need came, in milliseconds: what is answered, or comes with others, at once is not told by itself. */
export const GATHER_MS = 1_000

/** Needs that came within so long belong together, in milliseconds, where they are as many as this. */
export const TOGETHER_MS = 10_000
export const TOGETHER_COUNT = 3

/** The person is not called more often, whatever comes and goes, in milliseconds. */
export const APART_MS = 3_000

/** Needs that are remembered as told of or not to be told of; more than a daemon keeps. */
const KNOWN = { most: 4_096, atOnce: 512 }

/** What it looks at, and what it says. */
export interface NeedAlertsParts {
  readonly clock: Clock
  readonly model: Pick<SeatModel, 'needs' | 'sessions' | 'rows' | 'versions'>
  /** Wall time in milliseconds: what was asked before is no news. */
  readonly sinceMs: number
  /** Whether the person has it before their eyes. */
  readonly isShown: (needId: string) => boolean
  /** Tells the person. One under the key of an earlier one takes its place. */
  readonly tell: (alert: NeedAlert) => void
  /** Takes back what was told under a key. */
  readonly withdraw: (key: string) => void
}

/** A need that is open, and that the person is or will be told of. */
interface Followed {
  need: SeatNeed
  /** When it came, monotonic. */
  readonly atMs: number
  /** The person's own seats at that time: what was asked of anyone reached these as well. */
  readonly seats: number
  told: 'not-yet' | 'alone' | 'together'
}

export class NeedAlerts {
  readonly #parts: NeedAlertsParts
  readonly #known = new BoundedMap<string, boolean>(KNOWN)
  /** By key, in the order they came. */
  readonly #followed = new Map<string, Followed>()
  #version = 0
  #timer: Timer | undefined
  /** When it called the person last, and when for several at once; monotonic. */
  #calledMs = -Infinity
  #togetherMs = -Infinity

  constructor(parts: NeedAlertsParts) {
    this.#parts = parts
  }

  /** Looks at what the model knows now. */
  look(): void {
    const { model, isShown } = this.#parts
    if (model.versions.needs !== this.#version) this.#compare(model.needs())
    this.#version = model.versions.needs
    this.#end((followed) => {
      const { needId, state } = followed.need
      if (!isWaiting(followed)) return isShown(needId)
      return state !== 'open' || this.#othersReached(followed) > 0
    })
    this.#arm()
  }

  /** Says nothing any more, and takes nothing back. */
  stop(): void {
    this.#timer?.cancel()
    this.#followed.clear()
  }

  #compare(needs: readonly SeatNeed[]): void {
    const { clock, model, sinceMs } = this.#parts
    const open = new Map(needs.map((need) => [keyOf(need), need]))
    this.#end(({ need }) => !open.has(keyOf(need)))
    const seats = [...model.sessions.values()].filter(({ isPerson }) => isPerson).length
    for (const [key, need] of open) {
      const followed = this.#followed.get(key)
      const isNew = this.#known.get(key) === undefined
      this.#known.set(key, true)
      if (followed !== undefined) followed.need = need
      // An answer to one that is late reaches its asker, who does not wait for it.
      else if (isNew && need.state === 'open' && need.askedAtMs >= sinceMs)
        this.#followed.set(key, { need, atMs: clock.monotonicMs(), seats, told: 'not-yet' })
    }
  }

  /** Follows some no longer, and takes back what was told of them. */
  #end(isOver: (followed: Followed) => boolean): void {
    let wereTogether = false
    for (const [key, followed] of this.#followed) {
      if (!isOver(followed)) continue
      this.#followed.delete(key)
      if (followed.told === 'alone') this.#parts.withdraw(key)
      wereTogether ||= followed.told === 'together'
    }
    if (wereTogether) this.#tellTogether(true)
  }

  /** How many besides the person were asked; NaN as long as that is not known. */
  #othersReached({ need, seats }: Followed): number {
    if (need.addressed === 'you') return 0
    return (this.#parts.model.rows.reachedBy(need.eventId ?? '') ?? Number.NaN) - seats
  }

  /** Those that belong together: what waits to be told, and what was told of a moment ago. */
  #recent(): readonly Followed[] {
    const fromMs = this.#parts.clock.monotonicMs() - TOGETHER_MS
    return [...this.#followed.values()].filter((followed) =>
      isWaiting(followed) ? this.#othersReached(followed) <= 0 : followed.atMs > fromMs,
    )
  }

  /** Sets the time of the next telling, if there is anything to tell. */
  #arm(): void {
    const { clock } = this.#parts
    this.#timer?.cancel()
    const recent = this.#recent()
    const waiting = recent.filter(isWaiting)
    const [first, last] = [waiting[0], waiting.at(-1)]
    if (first === undefined || last === undefined) return
    const dueMs =
      recent.length < TOGETHER_COUNT
        ? first.atMs + GATHER_MS
        : Math.max(Math.min(last.atMs + GATHER_MS, first.atMs + TOGETHER_MS), this.#togetherMs + TOGETHER_MS)
    const atMs = Math.max(dueMs, this.#calledMs + APART_MS)
    this.#timer = clock.after(atMs - clock.monotonicMs(), () => this.#tellWaiting())
  }

  #tellWaiting(): void {
    const { isShown } = this.#parts
    this.#end((followed) => isWaiting(followed) && isShown(followed.need.needId))
    const recent = this.#recent()
    const first = recent.find(isWaiting)
    if (first !== undefined) this.#call(first, recent)
    this.#arm()
  }

  /** Of one by itself, or of all that belong together. */
  #call(first: Followed, recent: readonly Followed[]): void {
    const { clock, tell, withdraw } = this.#parts
    const nowMs = clock.monotonicMs()
    this.#calledMs = nowMs
    if (recent.length < TOGETHER_COUNT) {
      first.told = 'alone'
      return tell(alertOf(keyOf(first.need), first.need))
    }
    this.#togetherMs = nowMs
    for (const followed of recent) {
      if (followed.told === 'alone') withdraw(keyOf(followed.need))
      followed.told = 'together'
    }
    return this.#tellTogether(false)
  }

  /** @param isQuiet - whether they have only become fewer */
  #tellTogether(isQuiet: boolean): void {
    const needs = [...this.#followed.values()].flatMap(({ told, need }) => (told === 'together' ? need : []))
    if (needs.length === 0) this.#parts.withdraw(TOGETHER)
    else this.#parts.tell(alertOfSeveral(needs, isQuiet))
  }
}

function isWaiting({ told }: Followed): boolean {
  return told === 'not-yet'
}

/** A session that waits at its prompt again is another need of the same name. */
function keyOf({ needId, askedAtMs }: SeatNeed): string {
  return `${needId} ${askedAtMs}`
}
