/**
 * Where Claude Code waits at its own prompt, and where it goes on.
 *
 * @see docs/runtimes.md §1.11; W-4
 */
import { waitingFor } from '../events/activity.ts'
import type { Activity } from '../events/hook-runtime.ts'
import { firstTextOf, listMember, memberOf, objectOf, textMember } from '../../core/text/json-object.ts'
import { wireNameOf, type EventMembers } from '../events/members.ts'

/** The tool by which the model asks its person. */
export const ASKING_TOOL = 'AskUserQuestion'

/** `notification_type` → what it says of the session. Of the others none is about the session itself. */
const BY_NOTICE: Readonly<Record<string, (text: string | undefined) => Activity>> = {
  permission_prompt: (text) => waitingFor('permission', text),
  worker_permission_prompt: (text) => waitingFor('permission', text),
  elicitation_dialog: (text) => waitingFor('question', text),
  elicitation_url_dialog: (text) => waitingFor('question', text),
  elicitation_complete: () => ({ state: 'working' }),
  elicitation_response: () => ({ state: 'working' }),
  idle_prompt: () => ({ state: 'idle' }),
  quota_auto_resume_fired: () => ({ state: 'working' }),
  quota_auto_resume_stale: (text) => waitingFor('limit', text),
  quota_auto_resume_disabled: (text) => waitingFor('limit', text),
}

/** Types of notices that a hook is run for. */
export const NOTICES: readonly string[] = Object.keys(BY_NOTICE)

/** Errors that end by waiting or paying. */
const LIMITS: ReadonlySet<string> = new Set(['rate_limit', 'billing_error'])

/** @returns undefined for an event of which the session works or rests as ever */
export function claudeActivity(payload: EventMembers): Activity | undefined {
  switch (wireNameOf(payload)) {
    case 'Notification': {
      const type = textMember(payload, 'notification_type') ?? ''
      return Object.hasOwn(BY_NOTICE, type) ? BY_NOTICE[type]?.(textMember(payload, 'message')) : undefined
    }
    case 'StopFailure': {
      // Its documentation calls the member `error_type`, its types `error`.
      const error = firstTextOf(payload, ['error', 'error_type']) ?? ''
      const text = firstTextOf(payload, ['last_assistant_message', 'error_details']) ?? error
      return waitingFor(LIMITS.has(error) ? 'limit' : 'error', text)
    }
    case 'PreToolUse':
      return textMember(payload, 'tool_name') === ASKING_TOOL
        ? waitingFor('question', questionOf(payload))
        : undefined
    default:
      return undefined
  }
}

/** The first of those it asks at once. */
function questionOf(payload: EventMembers): string | undefined {
  const [first] = listMember(objectOf(memberOf(payload, 'tool_input')), 'questions')
  return textMember(objectOf(first), 'question')
}
