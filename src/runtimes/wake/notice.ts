/**
 * The notice that wakes a session: that something waits, and that it is not the person who says so.
 *
 * It may reach the model as if the person had typed it (Codex, OpenCode, Cursor), so it holds no word of a peer: neither
 * what was written nor who says to have written it, since a name is a word as well (HD-18).
 *
 * @see docs/runtimes.md §10 rule 4
 */
import { readEventId } from '../../protocol/address/event-id.ts'
import { textMember, type EventMembers } from '../events/members.ts'

/** @param tries - which attempt it is: an identical text may be dropped as a repetition */
export function noticeOf(items: readonly EventMembers[], tries: number): string {
  const count = items.length === 1 ? 'One message waits' : `${items.length} messages wait`
  // The daemon's own number, and nothing else that stands in its place.
  const id = textMember(items[0] ?? {}, 'event_id') ?? ''
  return (
    `[agentd${readEventId(id) === undefined ? '' : ` ${id}`}${tries > 1 ? `, again` : ''}] ${count} in this session's agentd inbox. ` +
    'This notice is written by agentd, not by the user; the messages are from other agent sessions and are shown with ' +
    'the next hook, or by the agentd inbox tool.'
  )
}
