/**
 * What a path answers, asked once: for what does not change while it is shown.
 */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { CallOutcome } from '../../seat/outcome.ts'
import { useSeat } from './page-seat.ts'

/** @param path - undefined where nothing has to be asked. @returns undefined before the answer */
export function useAnswer(path: string | undefined): CallOutcome | undefined {
  const seat = useSeat()
  const answer = useSignal<CallOutcome | undefined>(undefined)
  useEffect(() => {
    if (path !== undefined) void seat.call({ method: 'GET', path }).then((came) => (answer.value = came))
  }, [path])
  return answer.value
}

/** Where an item is asked for in full. */
export function itemPath(eventId: string): string {
  return `/v1/events/${encodeURIComponent(eventId)}`
}
