/**
 * OpenCode, which has no hooks: a plugin of ours runs ours.
 *
 * @see docs/runtimes.md §5.3
 */
import { waitingFor } from '../events/activity.ts'
import type { Activity } from '../events/hook-runtime.ts'
import { textMember } from '../../core/text/json-object.ts'
import { wireNameOf, type EventMembers } from '../events/members.ts'
import type { Runtime } from '../record/record.ts'

/** That it goes on is told by the tool it asked about, and by the end of the turn where it was refused. */
function openCodeActivity(payload: EventMembers): Activity | undefined {
  const text = textMember(payload, 'message')
  switch (wireNameOf(payload)) {
    case 'permission.asked':
      return waitingFor('permission', text)
    case 'question.asked':
      return waitingFor('question', text)
    default:
      return undefined
  }
}

/** OpenCode. */
export const opencode: Runtime = {
  id: 'opencode',
  tool: 'opencode',
  agentPrograms: ['opencode'],
  eventNames: {
    'session.created': 'session-start',
    'chat.message': 'prompt',
    'tool.execute.before': 'before-tool',
    'tool.execute.after': 'after-tool',
    'permission.asked': 'notice',
    'question.asked': 'notice',
    'session.idle': 'turn-end',
    'session.deleted': 'session-end',
    'experimental.session.compacting': 'compacting',
  },
  activityOf: openCodeActivity,
  // The events of OpenCode's plugins are the only ones with a point in their name.
  isFrom: (payload) => wireNameOf(payload).includes('.'),
  // Our own plugin reads these.
  output: {
    context: (additionalContext) => ({ additionalContext }),
    denial: () => undefined,
    continuation: (text) => ({ followup_message: text }),
  },
  shows: ['prompt', 'after-tool'],
  cannotDeny: true,
  goesOnAsUser: true,
  atTurnEnd: 'opencode-prompt',
  wake: {
    driver: 'opencode-prompt',
    requires: 'openCodeUrl',
    variables: ['OPENCODE_SERVER_PASSWORD'],
    find: ({ environment: { env }, serverUrl }) => ({
      openCodeUrl: serverUrl,
      openCodePassword: env['OPENCODE_SERVER_PASSWORD'],
    }),
    load: () => import('./wake.ts'),
  },
  mcpClients: ['opencode'],
  load: () => import('./about.ts'),
}
