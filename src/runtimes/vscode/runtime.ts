/**
 * VS Code, which reads the Copilot CLI's file of hooks.
 *
 * @see docs/runtimes.md §5.2
 */
import { COPILOT_FORMAT } from '../copilot/runtime.ts'
import { CLAUDE_EVENTS } from '../events/claude-format.ts'
import { textMember } from '../../core/text/json-object.ts'
import type { Runtime } from '../record/record.ts'

/** VS Code. */
export const vscode: Runtime = {
  id: 'vscode',
  tool: 'vscode',
  agentPrograms: [],
  eventNames: CLAUDE_EVENTS,
  isFrom: (payload) => textMember(payload, 'hookEventName') !== undefined,
  isStamped: (payload) => textMember(payload, 'transcript_path') !== undefined,
  output: COPILOT_FORMAT,
  shows: ['session-start', 'before-tool', 'after-tool'],
  atTurnEnd: 'vscode-stop',
  mcpClients: ['visual studio code', 'vscode'],
  load: () => import('./about.ts'),
}
