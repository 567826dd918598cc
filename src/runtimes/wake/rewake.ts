/**
 * The waiter that Claude Code itself starts and listens to: when it ends with 2, the session wakes with what
 * stands on stderr.
 *
 * @see docs/runtimes.md §1.5
 */
import { isAttended } from '../session/attended.ts'
import { HookContext, type HookPlace } from '../session/context.ts'
import { deliveryOf } from '../events/wake-channels.ts'
import type { HookEvent } from '../events/event.ts'
import { lookAtInbox, reportHanded } from '../session/inbox.ts'
import { withWake } from '../session/noise.ts'
import { Watch, type Interruption, type Rhythm } from './watch.ts'

/** What to wake the session with. */
export interface Wake {
  readonly text: string
  /** When all of it was written. */
  readonly settle: () => Promise<void>
}

/** @returns undefined when there is nobody to wake any more, or somebody else waits */
export async function waitToWake(
  event: HookEvent,
  place: HookPlace,
  rhythm?: Rhythm,
): Promise<Wake | undefined> {
  if (event.isSubagent || event.name === 'session-end' || !isAttended(event.runtime, place.environment))
    return undefined
  place.trace?.of(event)
  const context = new HookContext(place, event)
  const watch = new Watch(place, {
    fileName: context.fileName,
    kind: 'rewake',
    ...(rhythm !== undefined && { rhythm }),
  })
  if (!(await watch.enter())) return undefined
  await declare(context)
  for (;;) {
    const found = await watch.next()
    if (found === undefined) return undefined
    const wake = await takeOver(context, found)
    if (wake === undefined) continue
    place.trace?.woke({ driver: 'async-rewake', tries: 1, isTaken: true })
    return wake
  }
}

/** @returns undefined when a hook was faster */
async function takeOver(
  context: HookContext,
  { fileName, state, token }: Interruption,
): Promise<Wake | undefined> {
  const claim = context.store.claim(fileName, 'deliver')
  if (claim === undefined) return undefined
  context.relink()
  const waiting = await lookAtInbox(context, { token, state }, context.settings.contextChars)
  if (waiting === undefined) {
    claim.release()
    return undefined
  }
  return {
    text: `${waiting.text}\n`,
    async settle() {
      context.store.update(
        fileName,
        (now) => now && { ...withWake(now, Date.now()), isBusy: true, isWoken: true, atMs: Date.now() },
      )
      await reportHanded(context, { token, state }, waiting)
      claim.release()
      context.link.close()
    },
  }
}

/** The roster says how the session is woken, once it is known that it can be. */
async function declare({ store, fileName, link, event }: HookContext): Promise<void> {
  const state = store.read(fileName)
  if (state?.token === undefined || state.registration === undefined) return
  const { runtime } = event
  const body = {
    ...state.registration,
    successor_of: undefined,
    delivery: deliveryOf(runtime, state.wakeChannels, true),
  }
  try {
    await link.send({ method: 'POST', path: '/v1/sessions', token: state.token, body })
  } catch {
    // The next registration says it.
  }
}
