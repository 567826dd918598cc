/**
 * What an event says of what its session does.
 *
 * A prompt and a tool that has run say that it works, the end of a turn that it rests. Before a tool nothing is said:
 * several may be about to run, and the runtime ask about one of them.
 *
 * @see docs/http.md §4; docs/runtimes.md §10 rule 11; W-4
 */
import { MAX_ACTIVITY_OCTETS } from '../../core/limits.ts'
import { firstOctets } from '../../core/text/octets.ts'
import type { Activity, EventName, HookRuntime } from './hook-runtime.ts'
import type { EventMembers } from './members.ts'

/** Event → what its session does from then on. */
const BY_EVENT: Readonly<Partial<Record<EventName, Activity>>> = {
  'session-start': { state: 'idle' },
  prompt: { state: 'working' },
  'after-tool': { state: 'working' },
  'tool-failed': { state: 'working' },
  'turn-end': { state: 'idle' },
}

/** What tells an event from another besides its payload. */
interface EventFacts {
  readonly runtime: HookRuntime
  readonly name: EventName
  readonly cause: string | undefined
}

/** @returns undefined where the event does not say */
export function readActivity(
  payload: EventMembers,
  { runtime, name, cause }: EventFacts,
): Activity | undefined {
  const told = runtime.activityOf?.(payload)
  if (told !== undefined) return told
  // A compaction happens in the middle of a turn.
  return name === 'session-start' && cause === 'compact' ? undefined : BY_EVENT[name]
}

/** A session that waits at its own prompt. @param text - what it asks, of any length */
export function waitingFor(reason: NonNullable<Activity['reason']>, text: string | undefined): Activity {
  return {
    state: 'waiting',
    reason,
    ...(text !== undefined && { text: firstOctets(text.toWellFormed(), MAX_ACTIVITY_OCTETS) }),
  }
}

/**
 * Whether what an event says is to be said, after what was said last. The same again is not: most events of a turn are.
 *
 * @param said - undefined for a session that has not said anything
 */
export function isNews(said: Activity | undefined, { activity, name }: ActivityEvent): boolean {
  if (activity === undefined) return false
  if (said === undefined) return name !== 'session-start'
  if (name === 'notice' && isKnownBetter(said, activity)) return false
  return said.state !== activity.state || said.reason !== activity.reason || said.text !== activity.text
}

/** The part of an event that speaks of its session. */
interface ActivityEvent {
  readonly name: EventName
  readonly activity: Activity | undefined
}

/**
 * Notices come late, and beside the turns: a minute after one that failed there is one that nobody has typed, a few
 * seconds after a question one that it wants a permission, and an answer ends a wait only where there was one.
 */
function isKnownBetter({ state, reason }: Activity, told: Activity): boolean {
  if (told.state === 'working') return state !== 'waiting'
  if (state !== 'waiting') return false
  if (told.state === 'idle') return reason === 'limit' || reason === 'error'
  return reason === 'question' && told.reason === 'permission'
}
