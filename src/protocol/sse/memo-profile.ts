/**
 * A stream as the memo describes it: unnamed events, each of them a frame, so that a reader that knows the memo alone, or
 * `onmessage` of a browser, gets all of them.
 *
 * What agentd says besides stays readable as comments, which every reader of Server-Sent Events passes over; ids stay where
 * they are, so that cursors do.
 *
 * @see memo §7 (AC-141…AC-145), ACQ-20; docs/http.md §6
 */
import { EVENT_FRAME } from './encoder.ts'

/** What stands before the name and the data of an event that is no frame. */
const ASIDE = /^event: (agentd_\w+)\ndata: /gm

const FRAME_NAME = new RegExp(`^event: ${EVENT_FRAME}\n`, 'gm')

/**
 * @param events - whole events of `encoder.ts`, in which every line break ends a line of the framing
 */
export function toMemoProfile(events: string): string {
  return events.replaceAll(FRAME_NAME, '').replaceAll(ASIDE, ': $1 ')
}
