/**
 * The nodes this machine is linked with, a line each.
 */
import type { Participant, RosterNode } from '../../client/index.ts'
import { formatAgo } from '../../core/text/durations.ts'
import { safeLine } from '../../core/text/safe-text.ts'

/** Sessions of each node that are asked for. */
const MAX_SHOWN_SESSIONS = 256

/** @returns undefined without a link */
export async function readNodes(
  participant: Pick<Participant, 'rosterPage'>,
): Promise<readonly RosterNode[] | undefined> {
  return (await participant.rosterPage({ nodes: 'all', limit: MAX_SHOWN_SESSIONS })).nodes
}

/** What each is just now, and since when that is known. */
export function formatNodes(nodes: readonly RosterNode[], nowMs: number): string {
  return nodes.map((node) => `node ${safeLine(node.node)} ${stateOf(node, nowMs)}`).join('\n')
}

function stateOf({ state, asOf, sessions, total }: RosterNode, nowMs: number): string {
  const heard = `heard of ${formatAgo(nowMs - Date.parse(asOf))}`
  const more = total > sessions.length ? `, ${total} sessions` : ''
  if (state === 'left') return `has left, ${heard}`
  return state === 'here' ? `is here, ${heard}${more}` : `is away, ${heard}; what is sent waits for it`
}
