/**
 * What most MCP tests begin with: a real daemon, and hosts that talk to servers of it in this process.
 */
import { connect } from '../../../src/client/connect.ts'
import { systemClock } from '../../../src/core/clock.ts'
import type { ServeParts } from '../../../src/mcp/serve.ts'
import { mcpHosts } from '../../../src/runtimes/mcp-hosts.ts'
import { hostInProcess, type Host, type HostOptions } from './host.ts'

/** A server's surroundings besides its streams; everything has a value that says nothing. */
export type Surroundings = Partial<Omit<ServeParts, 'input' | 'output'>>

/** A host connected to a server that speaks to the daemon at `socket`. */
export function connectHost(
  socket: string,
  surroundings: Surroundings = {},
  options: HostOptions = {},
): Host {
  const parts = {
    version: '0.0.0',
    clock: systemClock,
    reach: () => connect({ socket }),
    findHooked: () => undefined,
    carriesOn: () => false,
    hosts: mcpHosts({}),
    place: { cwd: '/home/alice/api', pid: process.pid },
    onTrouble: () => {},
    ...surroundings,
  }
  return hostInProcess(parts, options)
}

/** A Claude Code session whose server registers it itself. */
export function claudeHost(socket: string, sessionId: string, revision?: string): Host {
  const hosts = mcpHosts({ CLAUDE_CODE_SESSION_ID: sessionId })
  return connectHost(socket, { hosts }, { name: 'claude-code', ...(revision !== undefined && { revision }) })
}
