/**
 * What waits for the person in one item, answered where the item is read as it is on the screen of now.
 *
 * @see SEAT-21, SEAT-25
 */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { SeatNeed } from '../../seat/needs/need.ts'
import { useSeat } from '../state/page-seat.ts'
import { useModel } from '../state/use-model.ts'
import { NeedCard } from './need-card.tsx'

/** Its card, which stays when it closes meanwhile; nothing where nothing waits. */
export function OpenNeed({ eventId }: { readonly eventId: string }): JSX.Element | undefined {
  const seat = useSeat()
  const found = useRef<SeatNeed | undefined>(undefined)
  const open = useModel(seat, ['needs'], () => seat.model.needs().find((need) => need.eventId === eventId))
  found.current = open ?? found.current
  const { current: before } = found
  if (before === undefined) return undefined
  const need = seat.model.findNeed(before.needId) ?? before
  return <NeedCard need={need} isOpen={open !== undefined} onKeep={() => {}} />
}
