/**
 * What a path answers about workflows, asked again when an envelope has passed: at once, and then no more than once a second.
 *
 * @see SEAT-25, SEAT-37
 */
import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { CallOutcome } from '../../seat/outcome.ts'
import { useSeat } from '../state/page-seat.ts'

/** Between an answer and the next question, in milliseconds. */
const EVERY_MS = 1_000

/** @returns the newest answer; undefined before the first */
export function useFetched(path: string): CallOutcome | undefined {
  const seat = useSeat()
  const answer = useSignal<CallOutcome | undefined>(undefined)
  const wanted = useRef(path)
  wanted.current = path
  const ask = useMemo(
    () =>
      inTurn(async () => {
        const came = await seat.call({ method: 'GET', path })
        if (wanted.current === path) answer.value = came
      }),
    [path],
  )
  useEffect(ask, [ask, seat.paintedOf('threads')])
  return answer.value
}

/** @returns asks; while one is under way, another one follows it, however often that was */
function inTurn(ask: () => Promise<void>): () => void {
  let isWanted = false
  let isBusy = false
  const run = async (): Promise<void> => {
    isBusy = true
    while (isWanted) {
      isWanted = false
      await ask()
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
    }
    isBusy = false
  }
  return () => {
    isWanted = true
    if (!isBusy) void run()
  }
}
