/**
 * What a part of the screen is drawn from.
 */
import type { SeatModel } from '../../seat/seat-model.ts'
import type { View } from '../state/view.ts'

/** What is known, how it is looked at, and how much room there is. */
export interface Drawing {
  readonly model: SeatModel
  readonly view: View
  readonly columns: number
  readonly rows: number
  /** Wall time. */
  readonly nowMs: number
}

/** Below this many columns, what can be done without is left out. */
export const NARROW_COLUMNS = 70
