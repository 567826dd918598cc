/**
 * The noise budget: how often a session may be woken or kept going on behalf of others.
 *
 * @see PD-06
 */
import type { HookState } from '../memory/hook-state.ts'
import { apartMs } from '../events/apart.ts'
import { WAKE_WINDOW_MS } from '../events/budget.ts'
import type { HookSettings } from './settings.ts'

/** Whether one more wake is within what the person has set. */
export function hasBudget(
  wakes: readonly number[],
  { nowMs, settings }: { readonly nowMs: number; readonly settings: Pick<HookSettings, 'wakes'> },
): boolean {
  return recentWakes(wakes, nowMs).length < settings.wakes
}

/** The same session, woken once more. */
export function withWake(state: HookState, nowMs: number): HookState {
  return { ...state, wakes: [...recentWakes(state.wakes, nowMs), nowMs] }
}

function recentWakes(wakes: readonly number[], nowMs: number): readonly number[] {
  return wakes.filter((atMs) => apartMs(nowMs, atMs) < WAKE_WINDOW_MS)
}
