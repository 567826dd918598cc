/** What a session says of how it is woken: never a way that nobody would go (OP-26). */
import { findRuntime } from '../../runtimes/catalogue.ts'
import { deliveryOf } from '../../runtimes/events/wake-channels.ts'
import { keyOf, type HookState } from '../memory/hook-state.ts'
import type { Hooks, OwnSession } from '../session/context.ts'
import { declare } from '../session/registration.ts'

/** The session of a key while it is there. */
export function liveSession({ broker, memory }: Hooks, key: string): OwnSession | undefined {
  const state = memory.read(key)
  if (state?.address === undefined || state.token === undefined || state.endedMs !== undefined)
    return undefined
  const session = broker.sessions.findLiving(state.address)
  return session && { session, state }
}

/** Whether anything waits for the session of a key; whether it lives is not asked. */
export function hasMail({ broker, memory }: Hooks, key: string): boolean {
  const { address } = memory.read(key) ?? {}
  const session = address === undefined ? undefined : broker.sessions.find(address)
  return (session?.mailbox?.unread ?? 0) > 0
}

/** Whether the session's process is known to be gone, with whatever it had in hand. */
export function isGone({ startTimeOf }: Hooks, { pid, pidStart }: HookState): boolean {
  return pid !== undefined && pidStart !== undefined && startTimeOf(pid) !== pidStart
}

/** Puts on the roster how the session is woken now. */
export function declareWay(hooks: Hooks, own: OwnSession): void {
  const { session, state } = own
  const runtime = findRuntime(state.runtime)
  if (runtime === undefined) return
  const channels = hooks.settings.get().wakesIdle ? state.wakeChannels : {}
  const isWaiting = hooks.waiting.has(keyOf(state))
  const delivery = deliveryOf(runtime, channels, isWaiting)
  if (delivery.idle !== session.facts.delivery?.idle) declare(hooks, own, { ...delivery })
}
