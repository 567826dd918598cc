/** How long a session is to be left in peace: a turn is under way, or it was woken often enough (PD-06). */
import type { HookState } from '../memory/hook-state.ts'
import { budgetInMs } from '../session/noise.ts'
import type { HookSettings } from '../session/settings.ts'
import type { Rhythm } from './rhythm.ts'

/** @returns milliseconds; 0 for none */
export function restOf(
  { atMs, isBusy, wakes }: Pick<HookState, 'atMs' | 'isBusy' | 'wakes'>,
  facts: { readonly nowMs: number; readonly rhythm: Rhythm; readonly settings: HookSettings },
): number {
  const { nowMs, rhythm, settings } = facts
  const { busyMs } = rhythm
  const busyForMs = isBusy ? Math.max(0, Math.min(busyMs, atMs + busyMs - nowMs)) : 0
  return Math.max(busyForMs, budgetInMs(wakes, { nowMs, settings }))
}
