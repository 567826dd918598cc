/**
 * `seen` is said for what was really shown: a card that was open for a second.
 *
 * @see SEAT-04
 */
import type { SeatModel } from '../seat/seat-model.ts'
import type { View } from './state/view.ts'

/** How long it has to be open, in milliseconds. */
export const SHOWN_MS = 1_000

/** Items that are remembered as told; to say one again does no harm. */
const MAX_TOLD = 1_000

/** Looks on at every painting. */
export class ShownNeeds {
  readonly #onSeen: (eventId: string) => void
  readonly #told = new Set<string>()
  #openId: string | undefined
  #sinceMs = 0

  constructor(onSeen: (eventId: string) => void) {
    this.#onSeen = onSeen
  }

  /** @param nowMs - monotonic */
  look(model: SeatModel, { panel }: View, nowMs: number): void {
    const needId = panel?.name === 'need' ? panel.needId : undefined
    if (needId !== this.#openId) {
      this.#openId = needId
      this.#sinceMs = nowMs
    }
    if (needId === undefined || nowMs - this.#sinceMs < SHOWN_MS) return
    const eventId = model.findNeed(needId)?.eventId
    if (eventId === undefined || this.#told.has(eventId)) return
    if (this.#told.size >= MAX_TOLD) this.#told.clear()
    this.#told.add(eventId)
    this.#onSeen(eventId)
  }
}
