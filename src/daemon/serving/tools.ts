/**
 * What serves the tools of agent runtimes, with all that it is made with: a file that is loaded when the first connection
 * comes, and bundled apart, so that neither the daemon's start nor its idle memory has any of it.
 */
import { connect } from '../../client/client.ts'
import type { ClientParts } from '../../client/http/connection.ts'
import { Semaphore } from '../../mcp/session/semaphore.ts'
import { serveMcp } from '../../mcp/serve.ts'
import { mcpHosts } from '../../runtimes/mcp-hosts.ts'
import type { McpConnectionRequest, McpPlace } from '../../server/request/context.ts'
import type { McpConnectionsParts } from './mcp-parts.ts'

/** Calls under way over all connections together. */
const MAX_CALLS_OF_ALL = 256

/** What is known of the sessions that hooks have registered. */
type HookedSessions = Pick<Parameters<typeof serveMcp>[0], 'findHooked' | 'carriesOn'>

/** Serves one connection after another, and many at once. */
export async function createTools(parts: McpConnectionsParts): Promise<McpPlace['serve']> {
  const { clock, inner, log, personKey, socketPath, version } = parts
  const sentence = `At most ${MAX_CALLS_OF_ALL} calls of all sessions may be under way; call again.`
  const allCalls = new Semaphore(MAX_CALLS_OF_ALL, sentence)
  const hooked = await hookedSessions(parts)
  return ({ input, output, holds, closing, surroundings, peerPid }: McpConnectionRequest) => {
    const { cwd, pid, env } = surroundings
    const dial = () => inner.dial(peerPid)
    const client: ClientParts = { clock, random: Math.random, readPersonKey: () => personKey, dial }
    return serveMcp({
      ...hooked,
      input,
      output,
      version,
      clock,
      allCalls,
      hosts: mcpHosts(env),
      place: { cwd, pid },
      reach: () => connect({ socket: socketPath }, client),
      pipe: { closing, holds },
      onTrouble: (message) => log.warn('mcp', { message }),
    })
  }
}

async function hookedSessions({ hooks }: McpConnectionsParts): Promise<HookedSessions> {
  const desk = await hooks.get()
  return {
    findHooked: (runtime, sessionId) => {
      const found = desk.hooked(runtime, sessionId)
      return found && { token: found.token, leaseKeys: found.leaseKeys() }
    },
    carriesOn: (address, predecessor) => desk.carriesOn(address, predecessor),
  }
}
