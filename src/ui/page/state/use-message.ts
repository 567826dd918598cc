/**
 * The whole of what a need came as. A listing that would be too long leaves it out; then it is fetched.
 *
 * @see SEAT-21
 */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { memberOf, objectOf, type JsonObject } from '../../../core/text/json-object.ts'
import type { SeatNeed } from '../../seat/needs/need.ts'
import { useSeat } from './page-seat.ts'

/** @returns the frame or envelope; empty until it came */
export function useMessage({ eventId, message }: SeatNeed): JsonObject {
  const seat = useSeat()
  const fetched = useSignal<JsonObject>({})
  const isThere = Object.keys(message).length > 0
  useEffect(() => {
    if (isThere || eventId === undefined) return
    const fetchIt = async (): Promise<void> => {
      const outcome = await seat.call({ method: 'GET', path: `/v1/events/${encodeURIComponent(eventId)}` })
      if (outcome.kind === 'done') fetched.value = messageIn(outcome.body)
    }
    void fetchIt()
  }, [eventId, isThere])
  return isThere ? message : fetched.value
}

/** An item as `GET /v1/events/{event_id}` answers it. */
function messageIn(item: JsonObject): JsonObject {
  return objectOf(memberOf(item, 'frame') ?? memberOf(item, 'envelope'))
}
