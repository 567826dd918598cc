/**
 * Other nodes in the words of the wire: their state, and who is on them as they tell it (docs/http.md §4, FED-51).
 */
import { MAX_ROSTER_FACT_OCTETS } from '../core/limits.ts'
import { firstOctets } from '../core/text/octets.ts'
import { handleOf } from '../protocol/address/handle.ts'
import type { NodeEntry, RemoteEntry } from '../protocol/http/session-replies.ts'
import type { RemoteNode, RemoteSession } from './remote/remote.ts'
import { isInOwnRealm } from './remote/concerned.ts'
import { isoTime } from './roster-entry.ts'

/** Sessions of other nodes in one answer, all nodes together. */
export const MAX_REMOTE_ENTRIES = 4_096

/**
 * @param nodes - all there are
 * @param handle - whose sessions are asked for
 * @param limit - sessions of each that are told at the most
 */
export function nodeEntries(nodes: readonly RemoteNode[], handle: string, limit: number): NodeEntry[] {
  let left = MAX_REMOTE_ENTRIES
  return nodes.map(({ node, realm, handle: owner, state, asOfMs, offsetMs, sessions }) => {
    // Another principal's are shown as far as it told of them (FED-59).
    const whose = isInOwnRealm({ realm }) ? handle : owner
    const named = sessions.filter(({ address }) => handleOf(address) === whose)
    const shown = named.slice(0, Math.min(limit, left))
    left -= shown.length
    return {
      node,
      realm,
      handle: owner,
      state,
      as_of: isoTime(asOfMs),
      offset_ms: offsetMs === undefined ? null : Math.round(offsetMs),
      sessions: shown.map(toEntry),
      total: named.length,
    }
  })
}

/** What another node says of any length is told as far as a line of the roster has room. */
function toEntry(session: RemoteSession): RemoteEntry {
  const { address, instrument, sessionId, tool, live, mailbox, title, repositoryId, branch } = session
  return {
    address,
    instrument,
    session_id: sessionId,
    tool: tool ?? null,
    live,
    mailbox,
    title: clipped(title),
    repository_id: clipped(repositoryId),
    branch: clipped(branch),
    entities: [...(session.entities ?? [])],
  }
}

function clipped(fact: string | undefined): string | null {
  return fact === undefined ? null : firstOctets(fact, MAX_ROSTER_FACT_OCTETS)
}
