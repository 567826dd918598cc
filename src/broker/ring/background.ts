/**
 * Long work in short steps: replays, searches, pages of history.
 *
 * Each is a step that comes again until it is done. However many are under way, they share a few milliseconds
 * of every turn of the loop, in the order they came, so that a frame never waits for somebody's look back.
 *
 * @see
 */
import { daemonIsClosing } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'

/** Frames one step may look at: of the largest, what their checks cost is still a few milliseconds. */
export const STEP_FRAMES = 64

/** What all steps of one turn may take before the turn is over, in milliseconds. */
const TURN_MS = 5

/** Runs a step after other work of the loop has had its turn: at the end of the current one. */
export type Defer = (step: () => void) => void

export class Background {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #defer: Defer
  #steps: (() => void)[] = []
  #isStopped = false

  constructor(clock: Pick<Clock, 'monotonicMs'>, defer: Defer) {
    this.#clock = clock
    this.#defer = defer
  }

  /** Runs a step after what is waiting already. */
  later(step: () => void): void {
    this.#steps.push(step)
    if (this.#steps.length === 1) this.#defer(() => this.#run())
  }

  /**
   * Repeats a step until it gives something.
   *
   * @throws AgentdError `closing` when the daemon goes meanwhile
   */
  until<T>(step: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const goOn = (): void => {
        if (this.#isStopped) return reject(daemonIsClosing())
        try {
          const found = step()
          if (found === undefined) this.later(goOn)
          else resolve(found)
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)))
        }
      }
      this.later(goOn)
    })
  }

  /** Nothing is looked for any more: there will be nothing to look at. */
  stop(): void {
    this.#isStopped = true
  }

  /** Steps that come while this runs wait for the next turn; there is at least one step in each. */
  #run(): void {
    const untilMs = this.#clock.monotonicMs() + TURN_MS
    const waiting = this.#steps.length
    let done = 0
    do {
      this.#steps[done]?.()
      done += 1
    } while (done < waiting && this.#clock.monotonicMs() < untilMs)
    this.#steps = this.#steps.slice(done)
    if (this.#steps.length > 0) this.#defer(() => this.#run())
  }
}
