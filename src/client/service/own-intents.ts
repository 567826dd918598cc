/**
 * The intents that every service answers by itself: is it there, and what does it do.
 *
 * @see AEE-058, AEE-061, AEE-065, AEQ-19
 */
import type { Clock } from '../../core/clock.ts'
import type { TaskPayload, TaskHandler, TaskHandlers } from './task-handler.ts'

const PING = 'aee.status.ping'
const CAPABILITIES = 'aee.capability.list'

/** The handlers with these two behind them; a handler of the same intent comes first. */
export function withOwnIntents(handlers: TaskHandlers, clock: Clock): ReadonlyMap<string, TaskHandler> {
  const found = new Map<string, TaskHandler>()
  found.set(PING, () => ({ pong: true, ts: new Date(clock.nowMs()).toISOString() }))
  found.set(CAPABILITIES, ({ payload }) => ({ intents: namesOf(found, payload) }))
  for (const [intent, handler] of Object.entries(handlers)) found.set(intent, handler)
  return found
}

/** Intents at or below the dotted name that a task may ask for. */
function namesOf(handlers: ReadonlyMap<string, TaskHandler>, payload: TaskPayload): readonly string[] {
  const filter = Object.hasOwn(payload, 'namespace_filter') ? payload['namespace_filter'] : undefined
  const names = [...handlers.keys()].toSorted()
  if (typeof filter !== 'string' || filter === '') return names
  const name = filter.replace(/\.\*?$/, '')
  return names.filter((intent) => intent === name || intent.startsWith(`${name}.`))
}
