/**
 * Notices when a document begins to hold, or holds no more, by the clock alone: no file changes then, and nobody asks.
 *
 * @see FED-40, FED-56, FED-57
 */
import type { Clock, Timer } from '../core/clock.ts'
import { stateOf, type SignedDocument } from './document.ts'

/** The wall clock may be set meanwhile, which no timer notices; after so long it is looked at anyway. */
export const MAX_UNLOOKED_MS = 30_000

/** When a document holds. */
type Times = Pick<SignedDocument<unknown>, 'notBeforeMs' | 'notAfterMs'>

export class DocumentTimes {
  readonly #clock: Clock
  readonly #onTurn: () => void
  #documents: readonly Times[] = []
  #timer: Timer | undefined
  /** How each was when it was looked at last. */
  #states = ''

  /** @param onTurn - told when one of them holds that did not, or the other way round */
  constructor(clock: Clock, onTurn: () => void) {
    this.#clock = clock
    this.#onTurn = onTurn
  }

  /** These are to be watched from now on, and no others. Nothing runs where none of them begins or ends. */
  follow(documents: readonly Times[]): void {
    this.#documents = documents
    this.#timer?.cancel()
    const nowMs = this.#clock.nowMs()
    this.#states = documents.map((one) => stateOf(one, nowMs)).join(', ')
    const nextMs = Math.min(...documents.flatMap(momentsOf).filter((ms) => ms > nowMs))
    const waitMs = Math.min(nextMs - nowMs, MAX_UNLOOKED_MS)
    this.#timer = nextMs === Infinity ? undefined : this.#clock.after(waitMs, () => this.#look())
  }

  close(): void {
    this.#timer?.cancel()
  }

  #look(): void {
    const before = this.#states
    this.follow(this.#documents)
    if (this.#states !== before) this.#onTurn()
  }
}

/** The first moments at which it is in another state than just before: both bounds belong to the time in which it holds. */
function momentsOf({ notBeforeMs, notAfterMs }: Times): readonly number[] {
  return [
    ...(notBeforeMs === undefined ? [] : [notBeforeMs]),
    ...(notAfterMs === undefined ? [] : [notAfterMs + 1]),
  ]
}
