/**
 * An answer in the words of one runtime: one JSON object on stdout, or nothing.
 *
 * Codex refuses an answer with a member it does not know, Gemini shows anything but JSON to the person, and
 * Cursor wants no nesting. So each gets exactly what its own documentation names.
 *
 * @see docs/runtimes.md §§1.3, 2.1, 3, 4, 5
 */
import type { HookAnswer } from './answer.ts'
import type { HookEvent } from './event.ts'
import type { HookOutput } from './hook-runtime.ts'

/** @returns undefined when there is nothing to say, or no way to say it */
export function renderAnswer(
  event: Pick<HookEvent, 'runtime' | 'name' | 'wireName'>,
  { denial, continuation, context }: HookAnswer,
): HookOutput | undefined {
  const { output } = event.runtime
  if (denial !== undefined && event.name === 'before-tool') return output.denial(denial, event)
  if (continuation !== undefined && event.name === 'turn-end') return output.continuation(continuation, event)
  return context === undefined ? undefined : output.context(context, event)
}
