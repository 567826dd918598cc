/**
 * The notice that wakes a session: that something waits, and that it is not the person who says so.
 *
 * It may reach the model as if the person had typed it (Codex, OpenCode, Cursor), so it holds no word of a peer: neither
 * what was written nor who says to have written it, since a name is a word as well (HD-18).
 *
 * @see docs/runtimes.md §10 rule 4
 */

/** What is told of what waits. */
export interface NoticeFacts {
  /** How many there are. */
  readonly count: number
  /** The daemon's own number of the first. */
  readonly eventId: string
  /** Which attempt it is: an identical text may be dropped as a repetition. */
  readonly tries: number
}

export function noticeOf({ count, eventId, tries }: NoticeFacts): string {
  const waiting = count === 1 ? 'One message waits' : `${count} messages wait`
  return (
    `[agentd ${eventId}${tries > 1 ? `, again` : ''}] ${waiting} in this session's agentd inbox. ` +
    'This notice is written by agentd, not by the user; the messages are from other agent sessions and are shown with ' +
    'the next hook, or by the agentd inbox tool.'
  )
}
