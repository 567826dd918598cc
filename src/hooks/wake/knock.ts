/**
 * Knocking at the door that a session's runtime has told of: the first time, and once more where nothing shows that it was
 * heard.
 *
 * @see PD-01, PD-02; docs/runtimes.md §§1.6, 2.3, 5.3
 */
import type { Retained } from '../../broker/ring/retained.ts'
import { errorFields, type Debug } from '../../core/debug.ts'
import { findRuntime } from '../../runtimes/catalogue.ts'
import type { Hooks } from '../session/context.ts'
import { withWake } from '../session/noise.ts'
import { findInterrupts } from '../session/waiting.ts'
import { liveSession } from './declared.ts'
import type { Door } from './door.ts'
import { noticeOf } from './notice.ts'
import type { Rhythm } from './rhythm.ts'

/** The first time, and once more. */
const WAKE_TRIES = 2

/** At whose door, and for what. */
export interface Knock {
  readonly key: string
  readonly door: Door
  readonly urgent: readonly Retained[]
  readonly rhythm: Pick<Rhythm, 'seenMs' | 'queueSeenMs'>
  readonly debug: Debug | undefined
}

/**
 * Knocks, and waits until that was heard. It never fails: what is behind a door is somebody else's.
 *
 * @returns false when nobody heard it; then the next turn has what waits
 */
export async function knock(hooks: Hooks, call: Knock): Promise<boolean> {
  try {
    return await tryTwice(hooks, call)
  } catch (error) {
    call.debug?.('wake', { runtime: hooks.memory.read(call.key)?.runtime, ...errorFields(error) })
    return false
  }
}

async function tryTwice(hooks: Hooks, { key, door, urgent, rhythm, debug }: Knock): Promise<boolean> {
  const { broker, clock, environment, memory } = hooks
  const state = memory.update(key, (now) => now && withWake(now, clock.nowMs()))
  const way = findRuntime(state?.runtime)?.wake
  const waker = (await way?.load())?.wake
  const withinMs = way?.isQueued === true ? rhythm.queueSeenMs : rhythm.seenMs
  for (let tries = 1; tries <= WAKE_TRIES; tries += 1) {
    const now = liveSession(hooks, key)?.state
    const [first] = urgent
    if (door.isShut || now === undefined || first === undefined || waker === undefined) break
    const facts = { count: urgent.length, eventId: broker.ring.eventId(first.seq), tries }
    const { wakeChannels: channels, sessionId } = now
    const isTaken = await waker({ environment, channels, sessionId, notice: noticeOf(facts) })
    const isSeen = isTaken && (await wasSeen(hooks, { key, door, urgent, withinMs }))
    debug?.('wake', { runtime: now.runtime, driver: way?.driver, tries, isTaken, isSeen })
    if (isSeen) return true
  }
  return false
}

/** Whether none of them waits any longer, as soon as that can be told. */
async function wasSeen(
  hooks: Hooks,
  { key, door, urgent, withinMs }: Pick<Knock, 'key' | 'door' | 'urgent'> & { readonly withinMs: number },
): Promise<boolean> {
  const { clock } = hooks
  const untilMs = clock.monotonicMs() + withinMs
  const places = new Set(urgent.map(({ seq }) => seq))
  for (;;) {
    const own = liveSession(hooks, key)
    if (own === undefined || door.isShut) return true
    const leftMs = untilMs - clock.monotonicMs()
    if (!findInterrupts(hooks, own.session).some(({ seq }) => places.has(seq))) return true
    if (leftMs <= 0) return false
    await door.nextEvent(clock, leftMs)
  }
}
