/**
 * `agentd_roster`: who is here, how each can be reached, and which leases live.
 *
 * @see docs/http.md §4, PD-01, PD-04, PD-07
 */
import * as z from 'zod'
import { formatAge } from '../../core/text/durations.ts'
import type { RosterPage, RosterSession } from '../../client/index.ts'
import { MAX_ROSTER_ROWS } from '../session/bounds.ts'
import { readLiveLeases, type LiveLease } from './live-leases.ts'
import { tool, type Facts, type Tool } from '../session/tool.ts'

/** What a session says about its drivers; the library hands it on without knowing it. */
const Driver = z.string().optional()
const Declared = z.object({ delivery: z.object({ busy: Driver, idle: Driver, headless: Driver }) })

/** The tool. */
export const rosterTool: Tool = tool({
  name: 'agentd_roster',
  description:
    'Who is here, and who holds which lease. reach: stream (hears at once), inbox (reads it at its next turn) or ' +
    'none. delivery: how it says it is told when busy, idle or headless.',
  input: {},
  output: {
    you: { type: 'string' },
    sessions: { type: 'array', items: { type: 'object' } },
    leases: { type: 'array', items: { type: 'object' } },
  },
  isReadOnly: true,
  async run(_, call) {
    const { session, clock } = call
    // One more than is shown: it may be this session's own.
    const roster = await session.rosterPage({ limit: MAX_ROSTER_ROWS + 1 })
    const nowMs = clock.nowMs()
    const leases = await readLiveLeases(call)
    const others = roster.sessions.filter(({ address }) => address !== session.address)
    const shown = others.slice(0, MAX_ROSTER_ROWS)
    return {
      you: session.address,
      your_name: session.facts.name,
      sessions: shown.map((one) => toRow(one, nowMs)),
      leases: leases.slice(0, MAX_ROSTER_ROWS).map((lease) => toLeaseFacts(lease, nowMs)),
      more_sessions: moreThan(shown, roster),
      more_leases: countBeyond(leases),
    }
  },
})

/** A lease as results show it. */
export function toLeaseFacts({ resource, leaseId, holder, about, untilMs }: LiveLease, nowMs: number): Facts {
  return {
    resource,
    holder,
    intent: about,
    lease_id: leaseId,
    expires_in_s: Math.max(0, Math.ceil((untilMs - nowMs) / 1_000)),
  }
}

function toRow(one: RosterSession, nowMs: number): Facts {
  const { name, address, tool: toolClass, title, cwd, branch, entities, lastSeenAt, mailbox } = one
  return {
    name,
    address,
    tool: toolClass,
    title: title ?? undefined,
    cwd: cwd ?? undefined,
    branch: branch ?? undefined,
    entities: entities === undefined || entities.length === 0 ? undefined : entities,
    last_seen: formatAge(Math.max(0, nowMs - Date.parse(lastSeenAt))),
    reach: reachOf(one),
    delivery: Declared.safeParse(one).data?.delivery,
    unread: mailbox?.unread,
  }
}

function reachOf({ subscriptions, mailbox }: RosterSession): 'stream' | 'inbox' | 'none' {
  if (subscriptions > 0) return 'stream'
  return mailbox === null ? 'none' : 'inbox'
}

/** How many others there are besides those that are shown; this session is one of all. */
function moreThan(
  shown: readonly unknown[],
  { sessions, total = sessions.length }: RosterPage,
): number | undefined {
  const more = total - 1 - shown.length
  return more > 0 ? more : undefined
}

function countBeyond(rows: readonly unknown[]): number | undefined {
  return rows.length > MAX_ROSTER_ROWS ? rows.length - MAX_ROSTER_ROWS : undefined
}
