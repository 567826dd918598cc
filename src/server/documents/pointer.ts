/**
 * Where this daemon is to be asked, and for whom: what the pointer files and the server card say alike.
 *
 * @see MCPDNS, as far as one machine goes; docs/http.md §§1, 10
 */
import type { Pointer, ServerCard } from '../../protocol/http/daemon-replies.ts'

/** What is known of a daemon when it begins to serve. */
interface Place {
  readonly socketPath: string
  readonly principal: string
  readonly version: string
}

/** What a pointer file says. */
export function pointerTo({ socketPath, principal, version }: Place): Pointer {
  return {
    socket: socketPath,
    principal,
    version,
    stream: `/v1/handles/${principal}/stream`,
    frames: '/v1/frames',
    mcp: '/v1/mcp',
  }
}

/** The same as a card of an MCP server: its endpoint is a path of the socket, no address of a network. */
export function serverCard(place: Place): ServerCard {
  return {
    name: 'agentd',
    title: 'agentd',
    description: 'Short messages between the coding-agent sessions of one user on one machine',
    ...pointerTo(place),
  }
}
