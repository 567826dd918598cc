/**
 * Who still lives: a session's process runs; or, where it has none that is proven, it holds a stream, was heard of within
 * the lease, or names one that runs. Where it is known which one is meant, nobody outlives it, proven or not.
 *
 * @see docs/http.md §4, PD-04
 */
import type { Clock, Timer } from '../../core/clock.ts'
import type { BrokerLimits } from '../quota/limits.ts'
import { isRunning, type Processes } from '../kinship/lifeline.ts'
import type { Session } from './session.ts'

interface LeasesParts {
  readonly clock: Clock
  readonly processes: Processes
  readonly limits: Pick<BrokerLimits, 'leaseMs'>
}

/** Whoever is told what came of a look at a session. */
interface LeaseObserver {
  readonly onExpired: (session: Session) => void
  readonly onAlive: (session: Session) => void
}

/** The shortest time between two looks at one session, in milliseconds. */
const MIN_LOOK_MS = 1_000

/**
 * Leases for which a process keeps a silent session alive where the kernel does not say whose process it is: a day as
 * shipped. Anybody may name any process there, and none may hold a place for ever (HD-04).
 */
export const MAX_UNPROVEN_LEASES = 48

export class Leases {
  readonly #parts: LeasesParts
  readonly #observer: LeaseObserver
  readonly #timers = new Map<Session, Timer>()

  constructor(parts: LeasesParts, observer: LeaseObserver) {
    this.#parts = parts
    this.#observer = observer
  }

  isAlive(session: Session): boolean {
    const { lifeline } = session
    const { processes } = this.#parts
    if (lifeline?.isProven === true) return isRunning(processes, lifeline)
    if (lifeline?.endsSession === true && !isRunning(processes, lifeline)) return false
    if (session.subscriptions.size > 0 || this.#remainingMs(session) > 0) return true
    return lifeline !== undefined && this.#wasHeardOf(session) && isRunning(processes, lifeline)
  }

  /** When a session would be forgotten if nothing were heard of it, wall time in milliseconds. */
  expiresAtMs(session: Session): number {
    return this.#parts.clock.nowMs() + Math.max(0, this.#remainingMs(session))
  }

  /** One timer per session, set for the end of its lease and moved on while it lives: nothing polls. */
  arm(session: Session): void {
    const delayMs = Math.max(MIN_LOOK_MS, this.#remainingMs(session))
    const timer = this.#parts.clock.after(delayMs, () => {
      if (!this.isAlive(session)) return this.#observer.onExpired(session)
      this.#observer.onAlive(session)
      // Alive by a stream or a process: looked at again one lease later.
      if (this.#remainingMs(session) <= 0) session.touchLease(this.#parts.clock)
      return this.arm(session)
    })
    this.#timers.set(session, timer)
  }

  drop(session: Session): void {
    this.#timers.get(session)?.cancel()
    this.#timers.delete(session)
  }

  /** Cancels every timer; for the end of the daemon. */
  stop(): void {
    for (const timer of this.#timers.values()) timer.cancel()
    this.#timers.clear()
  }

  /** Within the bound of a process that nobody proved. */
  #wasHeardOf({ heardAtMs }: Session): boolean {
    const { clock, limits } = this.#parts
    return clock.monotonicMs() - heardAtMs < MAX_UNPROVEN_LEASES * limits.leaseMs
  }

  #remainingMs(session: Session): number {
    return session.leasedAtMs + this.#parts.limits.leaseMs - this.#parts.clock.monotonicMs()
  }
}
