/**
 * Setting up the Copilot CLI: hooks in a file of their own, which VS Code reads as well, and a server.
 *
 * @see docs/runtimes.md §§5.1, 5.2
 */
import { join } from 'node:path'
import { flatHooks, type EventHook } from '../setup/files/hook-lists.ts'
import { eventLine, serverArguments } from '../setup/files/launch.ts'
import { copilotHome } from './paths.ts'
import {
  daemonPlaceVariables,
  type RuntimeFiles,
  type SetupRequest,
  type DesiredFile,
} from '../setup/target.ts'

const NAME = 'copilot'

/**
 * Seconds. In capitals an event's payload says which it is; `notification` does so anyway, and has no other
 * spelling.
 */
const EVENTS: readonly EventHook[] = [
  { event: 'SessionStart', isStart: true, timeout: 5 },
  { event: 'UserPromptSubmit', timeout: 5 },
  { event: 'PreToolUse', timeout: 5 },
  { event: 'PostToolUse', timeout: 5 },
  { event: 'Stop', timeout: 5 },
  { event: 'SessionEnd', timeout: 2 },
  { event: 'notification', timeout: 5 },
]

/** The Copilot CLI. */
export const copilotFiles: RuntimeFiles = {
  home: copilotHome,
  readAtStart: ['hooks', 'mcp'],
  files(request) {
    const { paths, launch } = request
    // Nothing but PATH is handed to a server here; what it needs has to be listed.
    const server = {
      type: 'local',
      ...serverArguments(launch),
      env: daemonPlaceVariables(paths),
      tools: ['*'],
    }
    return [
      copilotHooks(request),
      {
        path:
          paths.scope === 'user'
            ? join(copilotHome(paths), 'mcp-config.json')
            : join(paths.project, '.github', 'mcp.json'),
        part: 'mcp',
        format: 'json',
        hookName: NAME,
        entries: [{ kind: 'server', list: 'mcpServers', server }],
      },
    ]
  },
  notes: () => [],
}

/** The file of hooks that the Copilot CLI and VS Code share. */
export function copilotHooks({ paths, launch }: SetupRequest): DesiredFile {
  const hooks = flatHooks(EVENTS, ({ timeout, isStart = false }) => ({
    type: 'command',
    bash: eventLine(launch, NAME, isStart),
    timeoutSec: timeout,
  }))
  return {
    path:
      paths.scope === 'user'
        ? join(copilotHome(paths), 'hooks', 'agentd.json')
        : join(paths.project, '.github', 'hooks', 'agentd.json'),
    part: 'hooks',
    format: 'json',
    hookName: NAME,
    entries: [{ kind: 'constant', key: 'version', value: 1 }, ...hooks],
  }
}
