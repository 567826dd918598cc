/**
 * The noise budget: how often a session may be woken or kept going on behalf of others.
 *
 * @see PD-06
 */
import { apartMs } from '../../runtimes/events/apart.ts'
import { WAKE_WINDOW_MS } from '../../runtimes/events/budget.ts'
import type { HookState } from '../memory/hook-state.ts'
import type { HookSettings } from './settings.ts'

interface BudgetFacts {
  readonly nowMs: number
  readonly settings: Pick<HookSettings, 'wakes'>
}

/** Whether one more wake is within what the person has set. */
export function hasBudget(wakes: readonly number[], { nowMs, settings }: BudgetFacts): boolean {
  return recentWakes(wakes, nowMs).length < settings.wakes
}

/** How long until one more wake is within it, in milliseconds; 0 for now. */
export function budgetInMs(wakes: readonly number[], facts: BudgetFacts): number {
  if (hasBudget(wakes, facts)) return 0
  const recent = recentWakes(wakes, facts.nowMs)
  const [oldest = facts.nowMs] = recent.slice(-Math.max(1, facts.settings.wakes))
  return Math.max(1, Math.min(WAKE_WINDOW_MS, oldest + WAKE_WINDOW_MS - facts.nowMs))
}

/** The same session, woken once more. */
export function withWake(state: HookState, nowMs: number): HookState {
  return { ...state, wakes: [...recentWakes(state.wakes, nowMs), nowMs] }
}

function recentWakes(wakes: readonly number[], nowMs: number): readonly number[] {
  return wakes.filter((atMs) => apartMs(nowMs, atMs) < WAKE_WINDOW_MS)
}
