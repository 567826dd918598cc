/**
 * `agentd mcp`: the tools of an agent runtime, served on stdin and stdout.
 *
 * @see docs/runtimes.md §§1.7, 2.2, 6
 */
import { Command } from 'commander'
import { systemClock } from '../../../core/clock.ts'
import { resolveSocketPath } from '../../../host/config/paths.ts'
import { requireOwnSocket } from '../../../host/socket/own-socket.ts'
import { packageVersion } from '../../../host/package.ts'
import type { HookState } from '../../../runtimes/memory/hook-state.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { printError } from '../../terminal/print.ts'
import { reachDaemon } from '../../run/reach.ts'

/** How long the process may take to end after its last word, in milliseconds. */
const END_MS = 200

/** The command. */
export function mcpCommand(): Command {
  return new Command('mcp')
    .description('Serve the tools of an agent runtime (MCP on stdin and stdout)')
    .addHelpText('after', '\nExample: claude mcp add --scope user agentd -- agentd mcp')
    .action(runs(serve))
}

async function serve(context: CommandContext): Promise<ExitCode> {
  const [{ serveMcp }, { HookStore }, { mcpHosts }] = await Promise.all([
    import('../../../mcp/serve.ts'),
    import('../../../runtimes/memory/hook-store.ts'),
    import('../../../runtimes/mcp-hosts.ts'),
  ])
  const { path } = resolveSocketPath(context.environment, context.socket)
  // At once, and as the end of the server: a host shows that, and a session without its tools goes on.
  requireOwnSocket(path)
  const memory = new HookStore(context.environment, path)
  const ending = new AbortController()
  const end = (): void => ending.abort()
  process.once('SIGTERM', end).once('SIGINT', end)
  await serveMcp({
    input: process.stdin,
    output: process.stdout,
    version: packageVersion(),
    signal: ending.signal,
    clock: systemClock,
    reach: () => reachDaemon(context),
    findHooked: (runtime, sessionId) => hookedSession(memory.find(runtime, sessionId)),
    carriesOn: (address, predecessor) => memory.carriesOn(address, predecessor),
    hosts: mcpHosts(context.environment.env),
    // Hosts start a server as their own child: the parent's life is the session's.
    place: { cwd: process.cwd(), pid: process.ppid },
    onTrouble: (sentence) => printError(`agentd mcp: ${safeLine(sentence)}\n`),
  })
  // A call that hangs on a stopped daemon must not keep a host waiting for its child.
  setTimeout(() => process.exit(EXIT.done), END_MS).unref()
  return EXIT.done
}

/** The session a hook has registered under an id, or the one that carries it on; undefined when none has. */
function hookedSession(state: HookState | undefined) {
  return state?.token === undefined ? undefined : { token: state.token, leaseKeys: [...state.leases.keys()] }
}
