/**
 * Forgetting for good: which, how much that is, and once more whether.
 *
 * What is asked about is what was counted: what comes between the question and the yes is not forgotten with it.
 *
 * @see W-8, SEAT-23, SEAT-30; docs/decisions/019-counted-before-forgetting.md
 */
import { numberOf } from '../../../core/text/json-object.ts'
import { forgetFailedWords } from '../../seat/outcome.ts'
import {
  countPath,
  forgetChoices,
  forgetPath,
  forgetWords,
  NOTHING_LEFT,
  readForgettable,
  type Forgettable,
} from '../../seat/passing/forgetting.ts'
import { forgotWords } from '../../seat/words.ts'
import type { TopSeat } from './top-seat.ts'
import type { Panel } from './view.ts'

/** From an item that is open, which of what it belongs to is to go. */
export function beginForget(seat: TopSeat): void {
  const { panel } = seat.view
  if (panel?.name !== 'item' || panel.item === undefined) return undefined
  const choices = forgetChoices(panel.eventId, panel.item)
  return seat.open({ name: 'forget', item: panel, choices, chosen: 0 })
}

/** The next choice, or the one before. */
export function moveForget(seat: TopSeat, panel: Extract<Panel, { name: 'forget' }>, by: number): void {
  const chosen = Math.min(panel.choices.length - 1, Math.max(0, panel.chosen + by))
  seat.look({ panel: { ...panel, chosen }, asked: undefined })
}

/** Counts the chosen one, and asks. */
export async function countForget(
  seat: TopSeat,
  { choices, chosen }: Extract<Panel, { name: 'forget' }>,
): Promise<void> {
  const choice = choices[chosen]
  if (choice === undefined) return
  const came = await seat.request({ method: 'DELETE', path: countPath(choice), body: undefined })
  if (came === undefined) return
  if (came.kind !== 'done') return seat.tell(forgetFailedWords(came), true)
  const which = readForgettable(choice, came.body)
  if (which.count === 0) return seat.tell(NOTHING_LEFT, false)
  const { panel } = seat.view
  // Whoever went on to something else meanwhile is not asked about this any more.
  if (panel?.name !== 'forget' || panel.choices[panel.chosen] !== choice) return
  seat.look({ asked: { what: forgetWords(which), does: { by: 'forget', which } }, notice: undefined })
}

/** The second key came. */
export async function forget(seat: TopSeat, which: Forgettable): Promise<void> {
  const came = await seat.request({ method: 'DELETE', path: forgetPath(which), body: undefined })
  if (came === undefined) return
  if (came.kind !== 'done') return seat.tell(forgetFailedWords(came), true)
  seat.look({ panel: undefined })
  seat.tell(forgotWords(numberOf(came.body, 'forgotten') ?? 0), false)
}
