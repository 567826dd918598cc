/**
 * The waiter of ours: woken by something urgent, it wakes the session in the way of its runtime.
 *
 * What it says is a notice and no more. The messages themselves go through the prompt hook of the turn that
 * begins, which also says that they were seen; a session that has no such hook can ask for its inbox. When
 * nothing was seen in time it tries once more, and then leaves it to the next turn.
 *
 * @see PD-01, PD-02; docs/runtimes.md §§1.6, 2.3, 5.3
 */
import { isSessionLost, type HookPlace } from '../session/context.ts'
import { findRuntime } from '../catalogue.ts'
import { textMember } from '../events/members.ts'
import { withWake } from '../session/noise.ts'
import { noticeOf } from './notice.ts'
import { Unreached } from '../session/link.ts'
import { Watch, type Interruption, type Rhythm } from './watch.ts'

/** The first time, and once more. */
const WAKE_TRIES = 2

/** Looks at the mailbox while waiting for a wake to be heard. */
const LOOKS = 20

/** What a session's file is called; nothing else is opened. */
const FILE_NAME = /^[a-z-]{1,32}-[0-9a-f]{32}\.json$/

/** Runs until there is nothing left to wait for. */
export async function deliver(place: HookPlace, fileName: string, rhythm?: Rhythm): Promise<void> {
  if (!FILE_NAME.test(fileName)) return
  const watch = new Watch(place, { fileName, kind: 'detached', ...(rhythm !== undefined && { rhythm }) })
  if (!(await watch.enter())) return
  for (;;) {
    const found = await watch.next()
    if (found === undefined) return
    await wake(place, watch, found)
  }
}

async function wake(
  { environment, trace }: HookPlace,
  watch: Watch,
  { fileName, state, token, items }: Interruption,
): Promise<void> {
  watch.store.update(fileName, (now) => now && withWake(now, Date.now()))
  const { seenMs, queueSeenMs } = watch.rhythm
  const way = findRuntime(state.runtime)?.wake
  const waker = (await way?.load())?.wake
  const withinMs = way?.isQueued === true ? queueSeenMs : seenMs
  const { wakeChannels: channels, sessionId } = state
  for (let tries = 1; tries <= WAKE_TRIES; tries += 1) {
    const call = { environment, channels, sessionId, notice: noticeOf(items, tries) }
    const wasHeard = waker !== undefined && (await waker(call))
    const isSeen = wasHeard && (await wasSeen(watch, { token, items, withinMs }))
    trace?.woke({ driver: way?.driver, tries, isTaken: wasHeard, isSeen })
    if (isSeen) return
  }
  watch.leaveAlone(items)
}

/** Whether none of them waits any longer. */
async function wasSeen(
  watch: Watch,
  { token, items, withinMs }: Pick<Interruption, 'token' | 'items'> & { readonly withinMs: number },
): Promise<boolean> {
  const ids = new Set(items.map((item) => textMember(item, 'event_id')))
  let asked = token
  for (let look = 0; look < LOOKS; look += 1) {
    await watch.rhythm.pause(withinMs / LOOKS)
    try {
      const left = await watch.look(asked)
      if (!left.some((item) => ids.has(textMember(item, 'event_id')))) return true
    } catch (error) {
      if (error instanceof Unreached) return true
      if (!isSessionLost(error)) throw error
      // That is no sign of having been heard; a hook that was may register the session anew.
      const now = watch.token()
      if (now === undefined) return true
      asked = now
    }
  }
  return false
}
