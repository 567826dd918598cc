/**
 * `agentd_roster`: who is here, how each can be reached, and which leases live.
 *
 * @see docs/http.md §4, PD-01, PD-04, PD-07
 */
import * as z from 'zod'
import { formatAge } from '../../core/text/durations.ts'
import type { RemoteSession, RosterNode, RosterPage, RosterSession } from '../../client/index.ts'
import { MAX_ROSTER_ROWS } from '../session/bounds.ts'
import { readLiveLeases, type LiveLease } from './live-leases.ts'
import { tool, type Facts, type Tool, type ToolCall } from '../session/tool.ts'

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
    const roster = await session.rosterPage({ limit: MAX_ROSTER_ROWS + 1, nodes: 'all' })
    const nowMs = clock.nowMs()
    const leases = await readLiveLeases(call)
    const others = roster.sessions.filter(({ address }) => address !== session.address)
    const shown = others.slice(0, MAX_ROSTER_ROWS)
    return {
      you: session.address,
      your_name: session.facts.name,
      sessions: shown.map((one) => toRow(one, nowMs)),
      nodes: nodeRows(roster.nodes, call),
      leases: leases.slice(0, MAX_ROSTER_ROWS).map((lease) => toLeaseFacts(lease, nowMs)),
      more_sessions: moreThan(shown, roster),
      more_leases: countBeyond(leases),
    }
  },
})

/** A lease as results show it. */
export function toLeaseFacts(lease: LiveLease, nowMs: number): Facts {
  const { resource, leaseId, holder, node, hasLeft, about, untilMs } = lease
  return {
    resource,
    holder,
    // Neither is declared, which every model pays for: both stand there only where they say something.
    node,
    has_left: hasLeft ? true : undefined,
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

/** Other machines with who is on them; absent without a link, and so is one of another person (FED-64). */
function nodeRows(nodes: readonly RosterNode[] | undefined, { session }: ToolCall): Facts | undefined {
  const own = nodes?.filter(({ handle }) => handle === session.facts.handle) ?? []
  if (own.length === 0) return undefined
  const rows = own.map(({ node, state, sessions, total }) => [
    node,
    {
      state: state === 'here' ? undefined : state,
      sessions: sessions.slice(0, MAX_ROSTER_ROWS).map(toRemoteRow),
      more_sessions: total > sessions.length ? total - sessions.length : undefined,
    },
  ])
  return Object.fromEntries(rows)
}

function toRemoteRow(one: RemoteSession): Facts {
  const { address, tool: toolClass, title, repositoryId, branch, entities, live, mailbox } = one
  return {
    address,
    tool: toolClass ?? undefined,
    title: title ?? undefined,
    repository: repositoryId ?? undefined,
    branch: branch ?? undefined,
    entities: entities.length === 0 ? undefined : entities,
    reach: live ? 'stream' : mailbox ? 'inbox' : 'none',
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
