/**
 * The whole of what a need came as. A listing that would be too long leaves it out; then it is fetched.
 *
 * @see SEAT-21
 */
import type { JsonObject } from '../../../core/text/json-object.ts'
import type { SeatNeed } from '../../seat/needs/need.ts'
import { messageIn } from '../../seat/text/file-refs.ts'
import { itemPath, useAnswer } from './use-answer.ts'

/** @returns the frame or envelope; empty until it came */
export function useMessage({ eventId, message, state }: SeatNeed): JsonObject {
  // One that is closed may be so because what it came as was forgotten.
  const isThere = state === 'closed' || Object.keys(message).length > 0
  const came = useAnswer(isThere || eventId === undefined ? undefined : itemPath(eventId))
  return came?.kind === 'done' ? messageIn(came.body) : message
}
