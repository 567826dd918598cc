/**
 * Time as a value that is passed in, so that leases, windows and keep-alives can be tested without waiting.
 */

/** A pending call; `cancel` is harmless once it has run. */
export interface Timer {
  cancel(): void
}

/** The two clocks of a process and its timers. */
export interface Clock {
  /** Wall time in milliseconds since 1970; may step. Only for what people and frames read. */
  nowMs(): number
  /** Monotonic milliseconds; never steps. For every interval, window and bound. */
  monotonicMs(): number
  /** Calls back once after `delayMs`. The timer never keeps the process alive. */
  after(delayMs: number, callback: () => void): Timer
}

/** The longest delay Node's timers take; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** The last millisecond that a `Date` can say. */
export const MAX_WALL_MS = 8_640_000_000_000_000

/** Whether a value is a moment of {@link Clock.nowMs}, and not one that no calendar has. */
export function isWallTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= MAX_WALL_MS
}

/** The clock of this machine. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(0, delayMs), MAX_TIMER_MS))
    // In a browser it is a number, and keeps nothing alive.
    if (typeof timer === 'object') timer.unref()
    return { cancel: () => clearTimeout(timer) }
  },
}
