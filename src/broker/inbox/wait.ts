/**
 * A wait with a deadline: it is over when what is waited for has come, or the time has.
 */
import type { Clock } from '../../core/clock.ts'

export interface Wait {
  readonly clock: Clock
  readonly timeoutMs: number
  /** Whether what is waited for is there. */
  readonly isOver: () => boolean
  /** Calls back at every change until the returned function is called. */
  readonly onChange: (wake: () => void) => () => void
  /** Called once, at once when there is nothing to wait for. */
  readonly done: () => void
}

/** @returns a function that gives the wait up: `done` is not called any more */
export function startWait({ clock, timeoutMs, isOver, onChange, done }: Wait): () => void {
  if (isOver()) {
    done()
    return () => {}
  }
  const finish = (): void => {
    giveUp()
    done()
  }
  const timer = clock.after(timeoutMs, finish)
  const forget = onChange(() => {
    if (isOver()) finish()
  })
  const giveUp = (): void => {
    timer.cancel()
    forget()
  }
  return giveUp
}
