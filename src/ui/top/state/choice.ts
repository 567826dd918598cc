/**
 * What is chosen, of what can be: the needs in their order, and behind them who is here.
 *
 * @see SEAT-22, SEAT-38
 */
import { memberOf, objectOf, type JsonObject } from '../../../core/text/json-object.ts'
import type { SeatNeed } from '../../seat/needs/need.ts'
import type { SeatModel } from '../../seat/seat-model.ts'
import type { View } from './view.ts'

/** A need with what it came as, and whether it still waits. */
export interface NeedInHand {
  readonly need: SeatNeed
  readonly isOpen: boolean
}

/** The need that the keys of an answer are about: the one whose card is open, or the chosen one. */
export function needInHand(model: SeatModel, { panel, screen, chosen }: View): NeedInHand | undefined {
  if (panel !== undefined && panel.name !== 'need') return undefined
  if (panel === undefined && screen !== 'now') return undefined
  const needId = panel?.needId ?? chosen
  const need = needId === undefined ? undefined : model.findNeed(needId)
  if (need === undefined) return undefined
  const isOpen = need.state !== 'closed' && model.needs().some((open) => open.needId === need.needId)
  return { need: withMessage(need, panel?.item), isOpen }
}

/** A need that was too large to be told whole comes with what was fetched of it. */
function withMessage(need: SeatNeed, item: JsonObject | undefined): SeatNeed {
  if (item === undefined) return need
  return { ...need, message: objectOf(memberOf(item, 'frame') ?? memberOf(item, 'envelope')) }
}

/** Ids of needs and addresses of sessions, in the order of the screen. */
export function choices(model: SeatModel): readonly string[] {
  return [
    ...model.needs().map(({ needId }) => needId),
    ...model.here().lines.map(({ session }) => session.address),
  ]
}

/** The next one, or the one before; the first where none is chosen. */
export function moveChoice(model: SeatModel, chosen: string | undefined, by: number): string | undefined {
  const all = choices(model)
  const at = chosen === undefined ? -1 : all.indexOf(chosen)
  return all[at === -1 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))]
}
