/**
 * `agentd mcp`: the tools of an agent runtime on stdin and stdout, served by the daemon.
 *
 * As a rule the launcher takes the short way (`mcp-fast.ts`) and this file is only read for its help.
 *
 * @see docs/http.md §10 "MCP"; docs/runtimes.md §§1.7, 2.2, 6
 */
import { Command } from 'commander'
import { packageVersion } from '../../../host/package.ts'
import { runMcp } from '../../fast/mcp-fast.ts'
import { runs, type CommandContext } from '../../run/command-context.ts'
import { LAUNCHER } from '../../run/launcher.ts'
import { choiceOption, readTextOption } from '../../run/options.ts'
import { GROUPS } from '../../help/groups.ts'

/** The command. */
export function mcpCommand(): Command {
  return new Command('mcp')
    .helpGroup(GROUPS.agents)
    .summary('Serve the tools of an agent runtime (MCP)')
    .description('Serve the tools of an agent runtime (MCP on stdin and stdout)')
    .addOption(
      choiceOption('--verbs <names>', "which tools: agentd's own, or the ten verbs of the memo", [
        'agentd',
        'memo',
      ]),
    )
    .addHelpText('after', '\nExample: claude mcp add --scope user agentd -- agentd mcp')
    .action(runs(serve))
}

/** As a module here; the launcher gives the bundle. */
const load = () => import('../../../mcp/serve.ts')

function serve({ socket, mayStart, as, options }: CommandContext): Promise<never> {
  const verbs = readTextOption(options, 'verbs') === 'memo' ? 'memo' : undefined
  return runMcp({
    socket,
    mayStart,
    verbs,
    as,
    launcher: LAUNCHER,
    offline: { load, version: packageVersion },
  })
}
