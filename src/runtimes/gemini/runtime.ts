/**
 * The Gemini CLI.
 *
 * @see docs/runtimes.md §4
 */
import { waitingFor } from '../events/activity.ts'
import { CLAUDE_EVENTS, CLAUDE_FORMAT } from '../events/claude-format.ts'
import { textMember } from '../../core/text/json-object.ts'
import { wireNameOf } from '../events/members.ts'
import type { Runtime } from '../record/record.ts'

/** Events that only the Gemini CLI has. */
const OWN_EVENTS = new Set([
  'BeforeAgent',
  'AfterAgent',
  'BeforeTool',
  'AfterTool',
  'BeforeModel',
  'AfterModel',
  'BeforeToolSelection',
  'PreCompress',
])

/** The Gemini CLI. */
export const gemini: Runtime = {
  id: 'gemini',
  tool: 'gemini',
  agentPrograms: ['gemini'],
  eventNames: {
    ...CLAUDE_EVENTS,
    BeforeAgent: 'prompt',
    BeforeTool: 'before-tool',
    AfterTool: 'after-tool',
    AfterAgent: 'turn-end',
    PreCompress: 'compacting',
  },
  // The one notice it has.
  activityOf: (payload) =>
    textMember(payload, 'notification_type') === 'ToolPermission'
      ? waitingFor('permission', textMember(payload, 'message'))
      : undefined,
  // Its stamped payloads are told by their events, or by its variable.
  isFrom: (payload) => OWN_EVENTS.has(wireNameOf(payload)),
  isStamped: () => false,
  output: {
    ...CLAUDE_FORMAT,
    denial: (reason) => ({ decision: 'deny', reason }),
    continuation: (reason) => ({ decision: 'deny', reason }),
  },
  shows: ['session-start', 'prompt', 'after-tool'],
  isOnePerProcess: true,
  atTurnEnd: 'gemini-after-agent',
  sessionVariable: 'GEMINI_SESSION_ID',
  mcpClients: ['gemini'],
  load: () => import('./about.ts'),
}
