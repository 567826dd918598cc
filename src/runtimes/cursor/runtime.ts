/**
 * Cursor, which runs the hooks of Claude Code beside its own.
 *
 * @see docs/runtimes.md §3
 */
import { waitingFor } from '../events/activity.ts'
import { CLAUDE_FORMAT } from '../events/claude-format.ts'
import type { AnsweredEvent, OutputFormat } from '../events/hook-runtime.ts'
import { textMember } from '../../core/text/json-object.ts'
import { wireNameOf } from '../events/members.ts'
import type { Runtime } from '../record/record.ts'

/** Flat. */
const FLAT: OutputFormat = {
  context: (text) => ({ additional_context: text }),
  denial: (text) => ({ permission: 'deny', user_message: text, agent_message: text }),
  continuation: (text) => ({ followup_message: text }),
}

/** A hook that Cursor runs for Claude Code's sake is answered in Claude Code's words. */
const formatOf = ({ wireName }: AnsweredEvent): OutputFormat =>
  // Cursor's own events begin with a small letter.
  /^[A-Z]/.test(wireName) ? CLAUDE_FORMAT : FLAT

/** Cursor. */
export const cursor: Runtime = {
  id: 'cursor',
  tool: 'cursor',
  agentPrograms: ['cursor-agent'],
  eventNames: {
    sessionStart: 'session-start',
    beforeSubmitPrompt: 'prompt',
    preToolUse: 'before-tool',
    postToolUse: 'after-tool',
    afterFileEdit: 'after-tool',
    postToolUseFailure: 'tool-failed',
    stop: 'turn-end',
    sessionEnd: 'session-end',
    preCompact: 'compacting',
  },
  // It tells of no prompt of its own; only that a turn failed.
  activityOf: (payload) =>
    wireNameOf(payload) === 'stop' && textMember(payload, 'status') === 'error'
      ? waitingFor('error', undefined)
      : undefined,
  isFrom: (payload) => textMember(payload, 'cursor_version') !== undefined,
  output: {
    context: (text, event) => formatOf(event).context(text, event),
    denial: (text, event) => formatOf(event).denial(text, event),
    continuation: (text, event) => formatOf(event).continuation(text, event),
  },
  shows: ['session-start', 'after-tool'],
  mute: ['afterFileEdit'],
  goesOnAsUser: true,
  atTurnEnd: 'cursor-followup',
  mcpClients: ['cursor'],
  load: () => import('./about.ts'),
}
