/**
 * Who is there, page by page.
 *
 * @see docs/http.md §4
 */
import { RosterReply } from '../../protocol/http/session-replies.ts'
import type { CallOptions } from '../http/call-options.ts'
import type { Call, Connection } from '../http/connection.ts'
import { camelCased } from '../reply/camel-cased.ts'
import type { RosterNode, RosterPage, RosterSession } from '../reply/roster-results.ts'

/** Which page of whose roster. */
export interface RosterOptions {
  /** Whose roster; the caller's own handle when absent. */
  readonly handle?: string | undefined
  /** Cursor: the `next` of the page before. */
  readonly after?: string | undefined
  /** How many sessions at most; default 128, at most 256. */
  readonly limit?: number | undefined
  /** Only the others in the repository or the worktree of the session that asks. */
  readonly near?: 'self' | undefined
  /** With those of other nodes, where the daemon is linked with any. */
  readonly nodes?: 'all' | undefined
  /** Gives up with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** Sessions of one page, and of each other node in it. */
const MAX_PAGE_SESSIONS = 256

/** Pages of one roster that are read on to: every stream and session a daemon may hold, and who pages on for ever. */
const MAX_PAGES = 256

/** One page. */
export async function readRosterPage(
  connection: Connection,
  { handle = '', signal, ...query }: RosterOptions,
): Promise<RosterPage> {
  const call: Call = { route: 'getRoster', path: { handle }, query, signal }
  const { sessions, next = null, matching, total, nodes } = await connection.call(call, RosterReply)
  const page = { sessions: camelCased(sessions), next, matching, total }
  return nodes === undefined ? page : { ...page, nodes: camelCased(nodes) }
}

/** Other nodes with their sessions, as far as one answer tells them; none without a link. */
export async function readNodes(
  connection: Connection,
  handle: string,
  { signal }: CallOptions = {},
): Promise<readonly RosterNode[]> {
  const page = { handle, nodes: 'all', limit: MAX_PAGE_SESSIONS, signal } as const
  return (await readRosterPage(connection, page)).nodes ?? []
}

/** All pages; who comes or goes meanwhile may be on it or not. */
export async function readRoster(
  connection: Connection,
  handle: string,
  { signal }: CallOptions = {},
): Promise<readonly RosterSession[]> {
  const found: RosterSession[] = []
  let after: string | undefined
  for (let page = 0; page < MAX_PAGES; page += 1) {
    // One after the other: each says where the next one begins.
    // oxlint-disable-next-line eslint/no-await-in-loop
    const { sessions, next } = await readRosterPage(connection, { handle, after, signal })
    found.push(...sessions)
    if (next === null) break
    after = next
  }
  return found
}
