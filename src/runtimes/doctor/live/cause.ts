/**
 * Why a probe was not read: one sentence for each cause, since each has a remedy of its own (OP-31).
 */
import { formatAge } from '../../../core/text/durations.ts'
import type { RosterSession } from '../../../client/index.ts'

/** What is known of the session when the time was up. */
export interface UnreadFacts {
  readonly session: RosterSession
  /** Whether it was no longer on the roster. */
  readonly isGone: boolean
  /** Whether the probe was to wake it. */
  readonly isWaking: boolean
}

/** A cause. */
export interface Cause {
  readonly state: 'warn' | 'fail'
  /** Behind the name of the session; without a point. */
  readonly clause: string
  readonly fix?: string
}

/** How an idle session is declared that nothing wakes. */
const ASLEEP: ReadonlySet<string | undefined> = new Set([undefined, 'inbox', 'none'])

/** Younger than this, it goes without saying. */
const WORTH_SAYING_MS = 60_000

const PROMPT = 'give the session a prompt and ask again'

/** The way by which an idle session says that it is woken; undefined where it names none. */
export function wakeWayOf({ delivery }: Pick<RosterSession, 'delivery'>): string | undefined {
  const way = delivery?.idle
  return ASLEEP.has(way) ? undefined : way
}

/** Of a probe that lies in a mailbox, or ran out there. */
export function causeOf({ session, isGone, isWaking }: UnreadFacts): Cause {
  const { activity, delivery } = session
  if (isGone) return { state: 'warn', clause: 'gone; its session ended before it read anything' }
  if (activity?.state === 'working')
    return {
      state: 'warn',
      clause: 'not read yet: it is in a turn, and reads at its next tool or prompt',
      fix: 'ask again, with a longer --timeout',
    }
  if (activity?.state === 'waiting') {
    const reason = activity.reason === null ? '' : ` (${activity.reason})`
    return {
      state: 'warn',
      clause: `not read: it waits for its person${reason}, and reads when it goes on`,
      fix: 'answer it in its own window',
    }
  }
  const way = wakeWayOf(session)
  if (way === undefined) return asleep(session, delivery == null)
  if (isWaking)
    return {
      state: 'fail',
      clause: `not woken: ${way} was to do it, and it has read nothing${heardOf(session)}`,
      fix: 'look at it in its own window, and run agentd doctor',
    }
  return {
    state: 'warn',
    clause: `not read: it is idle, and what is not urgent wakes nobody${heardOf(session)}`,
    fix: 'agentd doctor --live --wake, which costs it a turn',
  }
}

function asleep(session: RosterSession, saysNothing: boolean): Cause {
  if (saysNothing)
    return { state: 'warn', clause: 'waiting in the mailbox, which nobody has read yet', fix: PROMPT }
  const clause = `not read: it is idle, and nobody waits for it who could wake it${heardOf(session)}`
  return { state: 'warn', clause, fix: PROMPT }
}

/** `, last heard of 3h ago` */
function heardOf({ lastSeenAt }: RosterSession): string {
  const ageMs = Date.now() - Date.parse(lastSeenAt)
  return ageMs < WORTH_SAYING_MS ? '' : `, last heard of ${formatAge(ageMs)} ago`
}
