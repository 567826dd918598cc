/**
 * What waits is counted in turns with whatever else the daemon has to do: a ring is long, and each lane is counted for itself.
 *
 * @see FED-65; R-36
 */
import { Background, OWN_WORK, type Defer } from '../../broker/ring/background.ts'
import type { Clock } from '../../core/clock.ts'

/** What counting may take for one answer, in milliseconds; the next one goes on behind it. */
export const MAX_COUNTING_MS = 2_000

export class Counting {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #background: Background

  constructor({ clock, defer }: { readonly clock: Pick<Clock, 'monotonicMs'>; readonly defer: Defer }) {
    this.#clock = clock
    this.#background = new Background(clock, defer)
  }

  /**
   * @param steps - each goes a little further and says whether that was all
   * @throws AgentdError `closing` when the daemon goes meanwhile
   */
  async run(steps: readonly (() => boolean)[]): Promise<void> {
    const untilMs = this.#clock.monotonicMs() + MAX_COUNTING_MS
    const isOver = (): boolean => steps.every((step) => step()) || this.#clock.monotonicMs() >= untilMs
    await this.#background.until(() => isOver() || undefined, OWN_WORK)
  }

  stop(): void {
    this.#background.stop()
  }
}
