/**
 * One line about one event, for who looks inside (`AGENTD_DEBUG`): what was said, or why nothing was.
 */
import { errorFields, type Debug } from '../core/debug.ts'
import type { HookAnswer, SilenceReason } from '../runtimes/events/answer.ts'
import type { HookEvent } from '../runtimes/events/event.ts'

const SAYINGS = ['context', 'denial', 'continuation'] as const

/** How an event ended. */
export type HookEnd =
  | { readonly said: readonly (typeof SAYINGS)[number][] }
  | { readonly silent: SilenceReason }
  | { readonly error: unknown }

/** What became of an answer. @param hasWords - the runtime has some for it */
export function endOf(answer: HookAnswer, hasWords: boolean): HookEnd {
  const said = SAYINGS.filter((saying) => answer[saying])
  if (said.length === 0) return { silent: answer.why ?? 'nothing-new' }
  return hasWords ? { said } : { silent: 'no-words' }
}

/** Tells how an event ended. @param ms - since it came @param hint - the runtime that its hook was set up for */
export function traceEvent(
  debug: Debug | undefined,
  event: Pick<HookEvent, 'runtime' | 'name'> | undefined,
  { end, ms, hint }: { readonly end: HookEnd; readonly ms: number; readonly hint: string },
): void {
  if (debug === undefined) return
  const what = 'error' in end ? { silent: 'error', ...errorFields(end.error) } : wordsOf(end)
  debug('hook', { runtime: event?.runtime.id ?? hint, event: event?.name, ms: Math.round(ms), ...what })
}

function wordsOf(end: Exclude<HookEnd, { readonly error: unknown }>): Readonly<Record<string, string>> {
  return 'said' in end ? { said: end.said.join(', ') } : { silent: end.silent }
}
