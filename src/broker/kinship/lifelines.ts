/**
 * The processes that sessions hang on, looked at so that the dead are not taken for the living (OP-27).
 *
 * Nothing tells of the end of a process that is nobody's child here. So they are looked at when somebody asks who is
 * there or sends to one of them, and a few of them each second, however many there are: the price of a second is bounded.
 *
 * @see docs/http.md §4; P-12
 */
import type { Clock, Timer } from '../../core/clock.ts'
import { isRunning, type KnownProcess, type Lifeline, type Processes } from './lifeline.ts'

/** Whoever may hang on a process. */
export interface Hanging {
  readonly lifeline: Lifeline | undefined
}

/** Some that are looked at together before anything is said to reach them. */
export interface Watch<Holder> {
  readonly holders: readonly Holder[]
  /** Monotonic time in milliseconds of the last look; set by each, `-Infinity` before the first. */
  lookedAtMs: number
}

/** Between two rounds over those that nobody asks for, in milliseconds. */
export const ROUND_MS = 1_000

/** Processes of one round that are looked at closely: a number given out anew and one that nobody has waited for show. */
export const MAX_LOOKS = 16

/** Processes of one round that are glanced at: whether anybody is there. */
export const MAX_GLANCES = 512

/** Some that were just looked at are not looked at again so soon, in milliseconds, and one more for each of them. */
const LOOK_AGAIN_MS = 1

/** A process, and who hangs on it. */
interface Watched<Holder> {
  readonly process: KnownProcess
  readonly holders: Set<Holder>
}

interface LifelinesParts {
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>
  readonly processes: Processes
}

export class Lifelines<Holder extends Hanging> {
  /** Told of each whose process is gone; it is let go of by then. Set by whoever registers them. */
  onGone: (holder: Holder) => void = () => {}
  readonly #parts: LifelinesParts
  readonly #byKey = new Map<string, Watched<Holder>>()
  readonly #keys = new Map<Holder, string>()
  readonly #looks = new Rotation(this.#byKey)
  readonly #glances = new Rotation(this.#byKey)
  #timer: Timer | undefined

  constructor(parts: LifelinesParts) {
    this.#parts = parts
  }

  /** Takes over what a holder hangs on now; one that may be anybody's is not watched (HD-04). */
  follow(holder: Holder): void {
    this.drop(holder)
    const { lifeline } = holder
    if (lifeline?.endsSession !== true) return
    const key = `${lifeline.pid} ${lifeline.startTime}`
    this.#keys.set(holder, key)
    const watched = this.#byKey.get(key)
    if (watched === undefined) this.#byKey.set(key, { process: lifeline, holders: new Set([holder]) })
    else watched.holders.add(holder)
    this.#timer ??= this.#arm()
  }

  drop(holder: Holder): void {
    const key = this.#keys.get(holder)
    if (key === undefined) return
    this.#keys.delete(holder)
    const watched = this.#byKey.get(key)
    watched?.holders.delete(holder)
    if (watched?.holders.size === 0) this.#byKey.delete(key)
  }

  /** Looks whether some still live, unless that was done just now. @returns whether any did not; it has ended then */
  look(watch: Watch<Holder>): boolean {
    const { holders } = watch
    const nowMs = this.#parts.clock.monotonicMs()
    if (holders.length === 0 || nowMs - watch.lookedAtMs < LOOK_AGAIN_MS + holders.length) return false
    watch.lookedAtMs = nowMs
    const watched = new Set<Watched<Holder>>()
    for (const holder of holders) {
      const one = this.#byKey.get(this.#keys.get(holder) ?? '')
      if (one !== undefined) watched.add(one)
      if (watched.size === MAX_GLANCES) break
    }
    return this.#end(
      [...watched].filter((one, i) => (i < MAX_LOOKS ? this.#isOver(one) : this.#isMissing(one))),
    )
  }

  /** Looks at all of them closely, once: of those that outlived a daemon. */
  lookAtAll(): void {
    this.#end([...this.#byKey.values()].filter((one) => this.#isOver(one)))
  }

  /** Cancels the timer; for the end of the daemon. */
  stop(): void {
    this.#timer?.cancel()
    this.#byKey.clear()
    this.#keys.clear()
  }

  #arm(): Timer {
    return this.#parts.clock.after(ROUND_MS, () => this.#round())
  }

  #round(): void {
    this.#timer = undefined
    const closely = this.#looks.next(MAX_LOOKS).filter((one) => this.#isOver(one))
    const atAGlance = this.#glances.next(MAX_GLANCES).filter((one) => this.#isMissing(one))
    this.#end([...closely, ...atAGlance])
    if (this.#byKey.size > 0) this.#timer ??= this.#arm()
  }

  /** A close look. */
  #isOver({ process }: Watched<Holder>): boolean {
    return !isRunning(this.#parts.processes, process)
  }

  /** A glance. */
  #isMissing({ process }: Watched<Holder>): boolean {
    return !this.#parts.processes.exists(process.pid)
  }

  #end(gone: readonly Watched<Holder>[]): boolean {
    for (const { holders } of gone) {
      for (const holder of holders) {
        this.drop(holder)
        this.onGone(holder)
      }
    }
    return gone.length > 0
  }
}

/** The values of a map in turn, whatever comes and goes meanwhile. */
class Rotation<Value> {
  readonly #map: ReadonlyMap<string, Value>
  #place: Iterator<Value> | undefined

  constructor(map: ReadonlyMap<string, Value>) {
    this.#map = map
  }

  /** The next so many, none of them twice. */
  next(most: number): readonly Value[] {
    const found = new Set<Value>()
    const wanted = Math.min(most, this.#map.size)
    while (found.size < wanted) {
      this.#place ??= this.#map.values()
      const { done, value } = this.#place.next()
      if (done === true) this.#place = undefined
      else if (found.has(value)) break
      else found.add(value)
    }
    return [...found]
  }
}
