/**
 * Who still lives: a session holds a stream, or its process runs, or it was heard of within the lease.
 *
 * @see docs/http.md §4, PD-04
 */
import type { Clock, Timer } from '../../core/clock.ts'
import type { BrokerLimits } from '../quota/limits.ts'
import type { Session } from './session.ts'

/** What the registry asks of the machine: whether a process is still the one that registered. */
export interface Processes {
  /** A text that differs for two processes of the same id; undefined when there is none. */
  startTime(pid: number): string | undefined
}

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

export class Leases {
  readonly #parts: LeasesParts
  readonly #observer: LeaseObserver
  readonly #timers = new Map<Session, Timer>()

  constructor(parts: LeasesParts, observer: LeaseObserver) {
    this.#parts = parts
    this.#observer = observer
  }

  isAlive(session: Session): boolean {
    if (session.subscriptions.size > 0 || this.#remainingMs(session) > 0) return true
    const { pid } = session.facts
    if (pid === undefined || session.pidStartTime === undefined) return false
    return this.#parts.processes.startTime(pid) === session.pidStartTime
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

  #remainingMs(session: Session): number {
    return session.leasedAtMs + this.#parts.limits.leaseMs - this.#parts.clock.monotonicMs()
  }
}
