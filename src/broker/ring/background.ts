/**
 * Long work in short steps: replays, searches, pages of history.
 *
 * Each is a step that comes again until it is done. However many are under way, they share a few milliseconds
 * of every turn of the loop, shared out by the connections they are for, so that a frame never waits for somebody's look back.
 *
 * @see; HD-11
 */
import { AgentdError, daemonIsClosing } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'
import type { Asker } from './asker.ts'

/** Frames one step may look at: of the largest, what their checks cost is still a few milliseconds. */
export const STEP_FRAMES = 64

/** What all steps of one turn may take before the turn is over, in milliseconds. */
const TURN_MS = 5

/** Runs a step after other work of the loop has had its turn: at the end of the current one. */
export type Defer = (step: () => void) => void

/** Work of the daemon's own: nobody waits for it, and it holds nothing of anybody's. */
export const OWN_WORK: Asker = { connection: {}, isGone: false, holds: () => {} }

export class Background {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #defer: Defer
  /** Steps by the connection they are for; whose turn it is stands first. */
  readonly #steps = new Map<object, (() => void)[]>()
  #count = 0
  #isStopped = false

  constructor(clock: Pick<Clock, 'monotonicMs'>, defer: Defer) {
    this.#clock = clock
    this.#defer = defer
  }

  /** Runs a step after what is waiting already for this connection, and in turn with those of others. */
  later(step: () => void, connection: object): void {
    const waiting = this.#steps.get(connection)
    if (waiting === undefined) this.#steps.set(connection, [step])
    else waiting.push(step)
    this.#count += 1
    if (this.#count === 1) this.#defer(() => this.#run())
  }

  /**
   * Repeats a step until it gives something.
   *
   * @throws AgentdError `closing` when the daemon goes meanwhile, or whoever asked has gone
   */
  until<T>(step: () => T | undefined, asker: Asker): Promise<T> {
    return new Promise((resolve, reject) => {
      const goOn = (): void => {
        if (this.#isStopped) return reject(daemonIsClosing())
        if (asker.isGone) return reject(nobodyWaits())
        try {
          const found = step()
          if (found === undefined) this.later(goOn, asker.connection)
          else resolve(found)
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)))
        }
      }
      this.later(goOn, asker.connection)
    })
  }

  /** Nothing is looked for any more: there will be nothing to look at. */
  stop(): void {
    this.#isStopped = true
  }

  /** Steps that come while this runs wait for the next turn; there is at least one step in each. */
  #run(): void {
    const untilMs = this.#clock.monotonicMs() + TURN_MS
    const waiting = this.#count
    let done = 0
    do {
      this.#take()?.()
      done += 1
    } while (done < waiting && this.#clock.monotonicMs() < untilMs)
    this.#count -= done
    if (this.#count > 0) this.#defer(() => this.#run())
  }

  /** The first step of the connection whose turn it is, which goes to the end. */
  #take(): (() => void) | undefined {
    const [first] = this.#steps
    if (first === undefined) return undefined
    const [connection, steps] = first
    this.#steps.delete(connection)
    const step = steps.shift()
    if (steps.length > 0) this.#steps.set(connection, steps)
    return step
  }
}

/** Told to nobody. */
function nobodyWaits(): AgentdError {
  return new AgentdError('closing', 'Whoever asked has gone.')
}
