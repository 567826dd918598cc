/**
 * Setting up the Copilot CLI: hooks in a file of their own, which VS Code reads as well, and a server.
 *
 * @see docs/runtimes.md §§5.1, 5.2
 */
import { join } from 'node:path'
import { flatHooks, type HookSlot } from '../setup/files/hook-lists.ts'
import { hookLine, serverArguments } from '../setup/files/launch.ts'
import { copilotHome, isThere } from '../setup/paths.ts'
import {
  daemonPlaceVariables,
  type RuntimeSetup,
  type SetupRequest,
  type DesiredFile,
} from '../setup/target.ts'

const NAME = 'copilot'

/**
 * Seconds. In capitals an event's payload says which it is; `notification` does so anyway, and has no other
 * spelling.
 */
const EVENTS: readonly HookSlot[] = [
  { event: 'SessionStart', timeout: 5 },
  { event: 'UserPromptSubmit', timeout: 5 },
  { event: 'PreToolUse', timeout: 5 },
  { event: 'PostToolUse', timeout: 5 },
  { event: 'PreCompact', timeout: 5 },
  { event: 'Stop', timeout: 5 },
  { event: 'SessionEnd', timeout: 2 },
  { event: 'notification', timeout: 5 },
]

/** The Copilot CLI. */
export const copilot: RuntimeSetup = {
  id: NAME,
  title: 'Copilot CLI',
  isInstalled: (places) => isThere(places.environment, ['copilot'], copilotHome(places)),
  files(request) {
    const { places, launch } = request
    // Nothing but PATH is handed to a server here; what it needs has to be listed.
    const server = {
      type: 'local',
      ...serverArguments(launch),
      env: daemonPlaceVariables(places),
      tools: ['*'],
    }
    return [
      copilotHooks(request),
      {
        path:
          places.scope === 'user'
            ? join(copilotHome(places), 'mcp-config.json')
            : join(places.project, '.github', 'mcp.json'),
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
export function copilotHooks({ places, launch }: SetupRequest): DesiredFile {
  const hooks = flatHooks(EVENTS, ({ timeout }) => ({
    type: 'command',
    bash: hookLine(launch, NAME),
    timeoutSec: timeout,
  }))
  return {
    path:
      places.scope === 'user'
        ? join(copilotHome(places), 'hooks', 'agentd.json')
        : join(places.project, '.github', 'hooks', 'agentd.json'),
    part: 'hooks',
    format: 'json',
    hookName: NAME,
    entries: [{ kind: 'constant', key: 'version', value: 1 }, ...hooks],
  }
}
