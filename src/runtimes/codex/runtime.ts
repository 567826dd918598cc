/**
 * The Codex CLI.
 *
 * @see docs/runtimes.md §2
 */
import { CLAUDE_EVENTS, CLAUDE_FORMAT } from '../events/claude-format.ts'
import { textMember } from '../../core/text/json-object.ts'
import type { Runtime } from '../record/record.ts'

/** The Codex CLI. */
export const codex: Runtime = {
  id: 'codex',
  tool: 'codex',
  agentPrograms: ['codex'],
  eventNames: CLAUDE_EVENTS,
  isFrom: (payload) =>
    textMember(payload, 'turn_id') !== undefined && textMember(payload, 'model') !== undefined,
  output: CLAUDE_FORMAT,
  shows: ['session-start', 'prompt', 'before-tool', 'after-tool'],
  // Its app server holds many threads in one process; only `source` tells that one carries on.
  hidesShellPatches: true,
  atTurnEnd: 'hook',
  wake: {
    driver: 'codex-queue',
    requires: 'codexPath',
    isQueued: true,
    variables: ['CODEX_HOME'],
    find: ({ environment: { env }, forebear }) => ({
      codexPath: forebear?.name.startsWith('codex') === true ? forebear.path : undefined,
      codexHome: env['CODEX_HOME'],
    }),
    load: () => import('./wake.ts'),
  },
  mcpClients: ['codex'],
  mcpSessionMembers: ['threadId', 'sessionId'],
  load: () => import('./about.ts'),
}
