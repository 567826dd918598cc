/**
 * The Copilot CLI.
 *
 * What it shows is what its version 1.0.102 was seen to do; its documentation promises less.
 *
 * @see docs/runtimes.md §5.1
 */
import { waitingFor } from '../events/activity.ts'
import { CLAUDE_EVENTS, deny, nested } from '../events/claude-format.ts'
import type { Activity, OutputFormat } from '../events/hook-runtime.ts'
import { textMember } from '../../core/text/json-object.ts'
import type { EventMembers } from '../events/members.ts'
import type { Runtime } from '../record/record.ts'

/** One file of hooks serves both the Copilot CLI and VS Code: the one reads the top, the other the inside. */
export const COPILOT_FORMAT: OutputFormat = {
  context: (additionalContext, event) =>
    event.name === 'notice'
      ? { additionalContext }
      : { additionalContext, ...nested({ additionalContext }, event) },
  denial: (reason, event) => ({ ...deny(reason), ...nested(deny(reason), event) }),
  continuation(reason, event) {
    const fields = { decision: 'block', reason }
    return { ...fields, ...nested(fields, event) }
  },
}

/** Its other notices are about shells and agents in the background, `agent_idle` too. */
function copilotActivity(payload: EventMembers): Activity | undefined {
  const text = textMember(payload, 'message')
  switch (textMember(payload, 'notification_type') ?? '') {
    case 'permission_prompt':
      return waitingFor('permission', text)
    case 'elicitation_dialog':
      return waitingFor('question', text)
    default:
      return undefined
  }
}

/** The Copilot CLI. */
export const copilot: Runtime = {
  id: 'copilot',
  tool: 'copilot',
  agentPrograms: ['copilot'],
  eventNames: { ...CLAUDE_EVENTS, agentStop: 'turn-end', notification: 'notice' },
  activityOf: copilotActivity,
  isFrom: (payload) => textMember(payload, 'sessionId') !== undefined,
  isStamped: (payload) => textMember(payload, 'transcript_path') === undefined,
  output: COPILOT_FORMAT,
  shows: ['session-start', 'prompt', 'before-tool', 'after-tool', 'tool-failed', 'notice'],
  isOnePerProcess: true,
  atTurnEnd: 'copilot-agent-stop',
  mcpClients: ['github-copilot', 'copilot'],
  load: () => import('./about.ts'),
}
