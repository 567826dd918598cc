/**
 * A session in the words of the wire: all of it, and as it stands in a listing of many (docs/http.md §4, HD-06).
 */
import { MAX_ROSTER_ENTITIES_OCTETS, MAX_ROSTER_FACT_OCTETS } from '../core/limits.ts'
import { firstOctets, octetLength } from '../core/text/octets.ts'
import type { RosterEntry } from '../protocol/http/session-replies.ts'
import { nearnessOf } from './session/roster.ts'
import type { Session } from './session/session.ts'

/** Facts of any length that a line of the roster tells the beginning of. */
const CLIPPED = ['title', 'cwd', 'repository', 'worktree', 'branch'] as const

/** All that a session has told of itself. */
export function rosterEntry(session: Session): RosterEntry {
  const { facts, mailbox } = session
  return {
    name: session.name,
    address: session.address,
    instrument: session.instrument,
    session_id: session.sessionId,
    tool: session.tool,
    title: facts.title ?? null,
    cwd: facts.cwd ?? null,
    repository: facts.repository ?? null,
    worktree: facts.worktree ?? null,
    branch: facts.branch ?? null,
    entities: [...session.entities],
    delivery: facts.delivery ?? null,
    activity: activityEntry(session),
    pid: session.lifeline?.pid ?? null,
    started_at: isoTime(session.startedAtMs),
    last_seen_at: isoTime(session.lastSeenAtMs),
    last_sent_at: session.lastSentAtMs === undefined ? null : isoTime(session.lastSentAtMs),
    subscriptions: session.subscriptions.size,
    mailbox: mailbox === undefined ? null : { unread: mailbox.unread },
  }
}

function activityEntry({ activity }: Session): RosterEntry['activity'] {
  if (activity === undefined) return null
  const { state, reason, text, sinceMs } = activity
  return { state, reason, text, since: isoTime(sinceMs) }
}

/** As it stands in a listing of many: as far as it fits, with what was cut. */
export function rosterLine(session: Session, nearTo?: Session): RosterEntry {
  const line = rosterEntry(session)
  const cut: string[] = []
  for (const name of CLIPPED) {
    const whole = line[name]
    if (whole === null) continue
    line[name] = firstOctets(whole, MAX_ROSTER_FACT_OCTETS)
    if (line[name] !== whole) cut.push(name)
  }
  const entities = firstEntities(session.entities)
  if (entities.length < session.entities.length) cut.push('entities')
  return {
    ...line,
    entities,
    ...(cut.length > 0 && { cut }),
    ...(nearTo !== undefined && { near: nearnessOf(session, nearTo) }),
  }
}

/** Whole names: the beginning of one would be another. */
function firstEntities(entities: readonly string[]): string[] {
  let left = MAX_ROSTER_ENTITIES_OCTETS
  const more = entities.findIndex((entity) => (left -= octetLength(entity)) < 0)
  return entities.slice(0, more === -1 ? entities.length : more)
}

/** A wall time in the words of the wire. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
