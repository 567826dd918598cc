/**
 * The notice that wakes a session: who wants something, and that it is not the person.
 *
 * It may reach the model as if the person had typed it (Codex, OpenCode), so it holds nothing that a peer
 * wrote, and says so.
 *
 * @see docs/runtimes.md §10 rule 4
 */
import { spokenKind } from '../../protocol/frame/summary.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { memberOf, objectOf, textMember, type EventMembers } from '../events/members.ts'

/** Senders named in one notice. */
const MAX_NAMED = 3

/** @param tries - which attempt it is: an identical text may be dropped as a repetition */
export function noticeOf(items: readonly EventMembers[], tries: number): string {
  const named = [...new Set(items.map(describe))]
  const more = named.length > MAX_NAMED ? ` and ${named.length - MAX_NAMED} more` : ''
  const count = items.length === 1 ? 'One message waits' : `${items.length} messages wait`
  const id = (textMember(items[0] ?? {}, 'event_id') ?? '').slice(0, 64)
  return (
    `[agentd ${safeLine(id)}${tries > 1 ? `, again` : ''}] ${count} in this session's agentd inbox: ` +
    `${named.slice(0, MAX_NAMED).join(', ')}${more}. This notice is written by agentd, not by the user; ` +
    'the messages are from other agent sessions and are shown with the next hook, or by the agentd inbox tool.'
  )
}

function describe(item: EventMembers): string {
  const frame = objectOf(memberOf(item, 'frame'))
  const envelope = objectOf(memberOf(item, 'envelope'))
  const kind = textMember(frame, 'kind') ?? textMember(envelope, 'intent') ?? 'message'
  const from =
    textMember(item, 'sender') ??
    textMember(frame, 'drafted_with') ??
    textMember(envelope, 'from') ??
    'another session'
  return `${safeLine(spokenKind(kind)).slice(0, 64)} from ${safeLine(from).slice(0, 128)}`
}
