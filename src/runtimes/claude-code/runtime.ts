/**
 * Claude Code.
 *
 * @see docs/runtimes.md §1
 */
import { claudeActivity } from './activity.ts'
import { CLAUDE_EVENTS, CLAUDE_FORMAT, nested } from '../events/claude-format.ts'
import type { Runtime } from '../record/record.ts'
import { ATTENDED_VARIABLE, SESSION_VARIABLE } from './variables.ts'

/** Claude Code. */
export const claudeCode: Runtime = {
  id: 'claude-code',
  tool: 'cc',
  agentPrograms: ['claude'],
  eventNames: CLAUDE_EVENTS,
  activityOf: claudeActivity,
  output: {
    ...CLAUDE_FORMAT,
    // Context goes on with the turn as well, and is not shown to the person as a problem of a hook (OP-30).
    continuation: (additionalContext, event) => nested({ additionalContext }, event),
  },
  shows: ['session-start', 'prompt', 'before-tool', 'after-tool', 'tool-failed'],
  stepEnds: ['PostToolBatch'],
  isOnePerProcess: true,
  followsShell: true,
  atTurnEnd: 'hook',
  headless: 'hook',
  wake: {
    driver: 'claude-inbox',
    requires: 'claudeSocket',
    variables: ['CLAUDE_CODE_MESSAGING_SOCKET', 'CLAUDE_CODE_MESSAGING_TOKEN'],
    find: ({ environment: { env } }) => ({
      claudeSocket: env['CLAUDE_CODE_MESSAGING_SOCKET'],
      claudeToken: env['CLAUDE_CODE_MESSAGING_TOKEN'],
    }),
    load: () => import('./wake.ts'),
  },
  sessionVariable: SESSION_VARIABLE,
  pidVariable: 'CLAUDE_PID',
  attendedVariable: ATTENDED_VARIABLE,
  mcpClients: ['claude'],
  load: () => import('./about.ts'),
}
