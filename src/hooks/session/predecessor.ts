/**
 * Whom a new session carries on: the one that lived in the same process a moment ago.
 *
 * `/clear` and its like give a session a new id. Its mail, its leases and its work are still the same agent's.
 *
 * @see PD-04
 */
import type { HookState } from '../memory/hook-state.ts'
import type { HookContext } from './context.ts'

/** Starts by which an agent carries on. */
const CARRIES_ON = new Set(['clear', 'resume', 'compact', 'fork'])

interface ProcessFacts {
  readonly pid: number | undefined
  readonly pidStart: string | undefined
}

/** @returns undefined when there is none, or when there could be two */
export function findPredecessor(
  { event, hooks }: HookContext,
  { pid, pidStart }: ProcessFacts,
): HookState | undefined {
  if (event.name !== 'session-start' || pid === undefined || pidStart === undefined) return undefined
  const { isOnePerProcess = false } = event.runtime
  if (!isOnePerProcess && !CARRIES_ON.has(event.cause ?? '')) return undefined
  const candidates = [...hooks.memory.list()]
    .filter((state) => state.runtime === event.runtime.id && state.sessionId !== event.sessionId)
    .filter((state) => state.pid === pid && state.pidStart === pidStart)
    .filter((state) => state.address !== undefined && state.endedMs === undefined)
    .toSorted((a, b) => b.atMs - a.atMs)
  // A server of many threads: which of them went on is only certain when there was one.
  if (!isOnePerProcess && candidates.length > 1) return undefined
  return candidates[0]
}

/** What a successor takes along: its work goes on, but after `/clear` it has been shown nothing yet. */
export function inherited(before: HookState | undefined, cause: string | undefined): Partial<HookState> {
  if (before === undefined) return {}
  const { edits, formers, reads, wakes, shown, said, address } = before
  const isBlank = cause === 'clear' || cause === 'compact'
  return {
    edits,
    formers: address === undefined ? formers : [...formers, address],
    wakes,
    said,
    ...(!isBlank && { reads, shown }),
  }
}
