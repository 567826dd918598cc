/**
 * Which runtime a payload is really from. The argument on the command line is only a hint.
 *
 * VS Code, the Copilot CLI and Cursor may run the hooks that were set up for Claude Code, and Gemini can take
 * them over; each then sends a payload of its own and expects an answer of its own.
 *
 * @see docs/runtimes.md §0 finding 6, §10 rule 1
 */
import { firstTextOf, memberOf, textMember, type EventMembers } from './members.ts'
import type { RuntimeId } from './runtime.ts'

/** Variables that a runtime sets for its own hooks only. */
export interface OriginVariables {
  readonly claudeSession: string | undefined
  readonly geminiSession: string | undefined
}

/** Events that only the Gemini CLI has. */
const GEMINI_ONLY = new Set([
  'BeforeAgent',
  'AfterAgent',
  'BeforeTool',
  'AfterTool',
  'BeforeModel',
  'AfterModel',
  'BeforeToolSelection',
  'PreCompress',
])

/** Runtimes that stamp every payload with the time. Claude Code and Codex do not. */
const STAMPING: readonly RuntimeId[] = ['gemini', 'copilot', 'vscode']

/** @returns undefined when neither the payload nor the hint says */
export function findOrigin(
  payload: EventMembers,
  hint: RuntimeId | undefined,
  variables: OriginVariables,
): RuntimeId | undefined {
  const event = firstTextOf(payload, ['hook_event_name', 'hookEventName']) ?? ''
  if (textMember(payload, 'cursor_version') !== undefined) return 'cursor'
  // The events of OpenCode's plugins are the only ones with a point in their name.
  if (event.includes('.')) return 'opencode'
  if (textMember(payload, 'hookEventName') !== undefined) return 'vscode'
  if (textMember(payload, 'sessionId') !== undefined) return 'copilot'
  if (GEMINI_ONLY.has(event)) return 'gemini'
  if (textMember(payload, 'turn_id') !== undefined && textMember(payload, 'model') !== undefined)
    return 'codex'
  const session = textMember(payload, 'session_id')
  // A Codex that was started from the shell of a Claude Code session inherits that session's variables.
  if (session !== undefined && session === variables.claudeSession) return 'claude-code'
  if (session !== undefined && session === variables.geminiSession) return 'gemini'
  if (memberOf(payload, 'timestamp') === undefined) return hint
  if (hint !== undefined && STAMPING.includes(hint)) return hint
  return textMember(payload, 'transcript_path') === undefined ? 'copilot' : 'vscode'
}
