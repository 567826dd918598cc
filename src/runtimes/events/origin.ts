/**
 * Which runtime a payload is really from. The argument on the command line is only a hint.
 *
 * VS Code, the Copilot CLI and Cursor may run the hooks that were set up for Claude Code, and Gemini can take
 * them over; each then sends a payload of its own and expects an answer of its own.
 *
 * @see docs/runtimes.md §0 finding 6, §10 rule 1
 */
import { memberOf, textMember } from '../../core/text/json-object.ts'
import type { EventMembers } from './members.ts'
import type { HookRuntime } from './hook-runtime.ts'

/** Who a payload may be from. */
export interface OriginFacts {
  /** All there are; of two that claim a payload, the one behind the other runs its hooks and has it. */
  readonly runtimes: readonly HookRuntime[]
  /** The one on the command line. */
  readonly hint: HookRuntime | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

/** @returns undefined when neither the payload nor the hint says */
export function findOrigin(
  payload: EventMembers,
  { runtimes, hint, env }: OriginFacts,
): HookRuntime | undefined {
  const marked = runtimes.findLast(({ isFrom }) => isFrom?.(payload) === true)
  if (marked !== undefined) return marked
  const session = textMember(payload, 'session_id')
  // A Codex that was started from the shell of a Claude Code session inherits that session's variables.
  const named = runtimes.find(
    ({ sessionVariable }) =>
      session !== undefined && sessionVariable !== undefined && env[sessionVariable] === session,
  )
  if (named !== undefined) return named
  if (memberOf(payload, 'timestamp') === undefined || hint?.isStamped !== undefined) return hint
  return runtimes.find(({ isStamped }) => isStamped?.(payload) === true) ?? hint
}
