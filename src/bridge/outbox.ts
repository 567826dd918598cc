/**
 * What was fed and is not with the engine yet: a little more than the next batch. The rest stays in the ring (FED-02).
 */
import type { Clock } from '../core/clock.ts'

/** What leaves: a record, and how far a lane is when it is in it. */
export interface Outgoing {
  /** One line. */
  readonly line: string
  readonly octets: number
  /** Its place and its digest; undefined for what has none: reports, and what is to be forgotten. */
  readonly place: { readonly e: string; readonly digest: string } | undefined
  /** How far the reports go with it. */
  readonly reports: number | undefined
  /** The place that the records behind it follow, where the ring does not hold what stood between (FED-22). */
  readonly prev: string | undefined
}

/** Records held, however small: four batches. */
const MAX_HELD = 1_024

export class Outbox {
  #held: Outgoing[] = []
  #octets = 0
  #wakeTaker: (() => void) | undefined
  #wakeGiver: (() => void) | undefined

  get size(): number {
    return this.#held.length
  }

  /** Puts one in, and waits while there is enough for the next two batches. @param maxOctets - of one batch */
  async put(item: Outgoing, maxOctets: number): Promise<void> {
    this.#held.push(item)
    this.#octets += item.octets
    this.#wakeTaker?.()
    while (this.#octets > 2 * maxOctets || this.#held.length > MAX_HELD)
      await new Promise<void>((resolve) => (this.#wakeGiver = resolve))
  }

  /** Waits until there is as much as a batch takes, but not longer than so many milliseconds. */
  async gather(maxOctets: number, maxRecords: number, clock: Clock, waitMs: number): Promise<void> {
    const isEnough = (): boolean => this.#octets >= maxOctets || this.#held.length >= maxRecords
    if (waitMs <= 0 || isEnough()) return
    await new Promise<void>((resolve) => {
      const timer = clock.after(waitMs, resolve)
      this.#wakeTaker = () => {
        if (!isEnough()) return
        timer.cancel()
        resolve()
      }
    })
  }

  /**
   * Waits until there is something, and takes it: as much as fits, and one in any case. What does not follow what stands
   * before it begins a batch of its own, whose head says so.
   */
  async take(maxOctets: number, maxRecords: number): Promise<readonly Outgoing[]> {
    while (this.#held.length === 0) await new Promise<void>((resolve) => (this.#wakeTaker = resolve))
    let [count, octets] = [0, 0]
    for (const item of this.#held.slice(0, maxRecords)) {
      if (count > 0 && (octets + item.octets > maxOctets || item.prev !== undefined)) break
      count += 1
      octets += item.octets
    }
    const taken = this.#held.splice(0, count)
    this.#octets -= octets
    this.#wakeGiver?.()
    return taken
  }
}
