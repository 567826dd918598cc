/**
 * The names and answers of Claude Code's hooks, which other runtimes took over with them.
 *
 * @see docs/runtimes.md §1.3
 */
import type { AnsweredEvent, EventNames, HookOutput, OutputFormat } from './hook-runtime.ts'

/** Its events. */
export const CLAUDE_EVENTS: EventNames = {
  SessionStart: 'session-start',
  UserPromptSubmit: 'prompt',
  PreToolUse: 'before-tool',
  PostToolUse: 'after-tool',
  PostToolBatch: 'after-tool',
  PostToolUseFailure: 'tool-failed',
  Stop: 'turn-end',
  SessionEnd: 'session-end',
  PreCompact: 'compacting',
  // Instead of Stop, where the turn failed.
  StopFailure: 'notice',
  Notification: 'notice',
}

/** Members that have to stand inside, beside the name of the event. */
export function nested(fields: HookOutput, { wireName }: AnsweredEvent): HookOutput {
  return { hookSpecificOutput: { hookEventName: wireName, ...fields } }
}

/** A refusal, where it stands. */
export function deny(permissionDecisionReason: string): HookOutput {
  return { permissionDecision: 'deny', permissionDecisionReason }
}

/** Its answers. */
export const CLAUDE_FORMAT: OutputFormat = {
  context: (additionalContext, event) => nested({ additionalContext }, event),
  denial: (reason, event) => nested(deny(reason), event),
  continuation: (reason) => ({ decision: 'block', reason }),
}
