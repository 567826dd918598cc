/**
 * The hosts of MCP servers among the runtimes: how each is told by its own name, and names the session that calls.
 */
import { RUNTIMES } from './catalogue.ts'
import type { Runtime } from './record/record.ts'

/** A host, as the MCP server is told of it. */
export interface RuntimeHost {
  readonly runtime: string
  readonly tool: string
  /** How `clientInfo.name` begins, in lower case. */
  readonly clients: readonly string[]
  /** Ids of the calling session, likeliest first, whatever they are. */
  readonly sessionIds: (meta: Readonly<Record<string, unknown>>) => readonly unknown[]
}

/**
 * A variable counts only for the host that sets it: a Gemini that was started from the shell of a Claude Code session
 * inherits that session's id, and is not that session.
 *
 * @param env - of the server's own process
 */
export function mcpHosts(
  env: Readonly<Record<string, string | undefined>>,
  runtimes: readonly Runtime[] = RUNTIMES,
): readonly RuntimeHost[] {
  return runtimes.map(({ id, tool, mcpClients, mcpSessionMembers = [], sessionVariable }) => ({
    runtime: id,
    tool,
    clients: mcpClients,
    sessionIds: (meta) => [
      ...(sessionVariable === undefined ? [] : [env[sessionVariable]]),
      ...mcpSessionMembers.map((name) => (Object.hasOwn(meta, name) ? meta[name] : undefined)),
    ],
  }))
}
