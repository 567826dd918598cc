/**
 * Setting up VS Code: a server of the user, and the hooks file it shares with the Copilot CLI.
 *
 * @see docs/runtimes.md §5.2
 */
import { join } from 'node:path'
import { copilotHooks } from '../copilot/setup.ts'
import { serverArguments } from '../setup/files/launch.ts'
import { vscodeHome } from './paths.ts'
import { environmentMember, type RuntimeFiles } from '../setup/target.ts'

/** VS Code. */
export const vscodeFiles: RuntimeFiles = {
  home: vscodeHome,
  readAtStart: [],
  files(request) {
    const { paths, launch } = request
    const folder = paths.scope === 'user' ? vscodeHome(paths) : join(paths.project, '.vscode')
    const server = { type: 'stdio', ...serverArguments(launch), ...environmentMember(paths) }
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
