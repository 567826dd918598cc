/**
 * Setting up VS Code: a server of the user, and the hooks file it shares with the Copilot CLI.
 *
 * @see docs/runtimes.md §5.2
 */
import { join } from 'node:path'
import { copilotHooks } from '../copilot/setup.ts'
import { serverArguments } from '../setup/files/launch.ts'
import { isThere, vscodeHome } from '../setup/paths.ts'
import { environmentMember, type RuntimeSetup } from '../setup/target.ts'

/** VS Code. */
export const vscode: RuntimeSetup = {
  id: 'vscode',
  title: 'VS Code',
  isInstalled: (places) => isThere(places.environment, ['code'], vscodeHome(places)),
  files(request) {
    const { places, launch } = request
    const folder = places.scope === 'user' ? vscodeHome(places) : join(places.project, '.vscode')
    const server = { type: 'stdio', ...serverArguments(launch), ...environmentMember(places) }
    return [
      copilotHooks(request),
      {
        path: join(folder, 'mcp.json'),
        part: 'mcp',
        format: 'json',
        hookName: 'vscode',
        entries: [{ kind: 'server', list: 'servers', server }],
      },
    ]
  },
  notes: ({ parts }) =>
    parts.includes('hooks')
      ? ['VS Code and the Copilot CLI read the same file of hooks; it is written once.']
      : [],
}
