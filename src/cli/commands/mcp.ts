/**
 * `agentd mcp`: the tools of an agent runtime, served on stdin and stdout.
 *
 * @see design/runtimes.md §§1.7, 2.2, 6
 */
import { Command } from 'commander'
import { systemClock } from '../../core/clock.ts'
import { HookStore } from '../../host/hook-store.ts'
import { resolveSocketPath } from '../../host/paths.ts'
import { packageVersion } from '../../host/version.ts'
import { safeLine } from '../../protocol/safe-text.ts'
import { runs, type CommandContext } from '../command-context.ts'
import { EXIT, type ExitCode } from '../exit.ts'
import { printError } from '../print.ts'
import { reachDaemon } from '../reach.ts'

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
  const { serveMcp } = await import('../../mcp/serve.ts')
  const { env } = context.environment
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
    findHooked: (runtime, sessionId) => findHooked(context, runtime, sessionId),
    host: { claudeCode: env['CLAUDE_CODE_SESSION_ID'], gemini: env['GEMINI_SESSION_ID'] },
    // Hosts start a server as their own child: the parent's life is the session's.
    place: { cwd: process.cwd(), pid: process.ppid },
    onTrouble: (sentence) => printError(`agentd mcp: ${safeLine(sentence)}\n`),
  })
  // A call that hangs on a stopped daemon must not keep a host waiting for its child.
  setTimeout(() => process.exit(EXIT.done), END_MS).unref()
  return EXIT.done
}

/** The session a hook has registered under this id, or the one that carries it on; undefined when none has. */
function findHooked({ environment, socket }: CommandContext, runtime: string, id: string) {
  const { path } = resolveSocketPath(environment, socket)
  const state = new HookStore(environment, path).find(runtime, id)
  return state?.token === undefined ? undefined : { token: state.token, leaseIds: [...state.leases.keys()] }
}
