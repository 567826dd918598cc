/**
 * The usual shape of a runtime's hooks: one command, under several events.
 */
import type { JsonEntry } from './json-file.ts'

/** One event we listen to. */
export interface EventHook {
  readonly event: string
  /** Whether a session starts with it: it is told by Node, all others by `curl` (OP-02). */
  readonly isStart?: boolean
  /** Which tools; absent: the event has no tools, or all of them. */
  readonly matcher?: string
  /** What earlier versions wrote there; any other is the person's to have. */
  readonly formerMatchers?: readonly string[]
  /** In the unit of the runtime. */
  readonly timeout?: number
}

type Fields = Readonly<Record<string, unknown>>

type HandlerOf = (event: EventHook) => Fields

/** Handlers in groups with a matcher: Claude Code, Codex, Gemini CLI. */
export function groupedHooks(events: readonly EventHook[], handler: HandlerOf): readonly JsonEntry[] {
  return events.map((one) =>
    hookEntry(one, handler, one.matcher === undefined ? {} : { matcher: one.matcher }),
  )
}

/** Handlers in the event's list itself: Cursor, Copilot. */
export function flatHooks(events: readonly EventHook[], handler: HandlerOf): readonly JsonEntry[] {
  return events.map((one) => hookEntry(one, handler, undefined))
}

function hookEntry(one: EventHook, handler: HandlerOf, group: Fields | undefined): JsonEntry {
  const { event, formerMatchers = [] } = one
  return { kind: 'hook', role: 'hook', event, handler: handler(one), group, formerMatchers }
}
