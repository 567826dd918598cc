/**
 * Setting up OpenCode: a server, and on request a plugin.
 *
 * The plugin is not written unasked: with any plugin at all, OpenCode's start waits for a dependency to be
 * installed, which offline takes half a minute.
 *
 * @see docs/runtimes.md §5.3
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { serverArguments } from '../setup/files/launch.ts'
import { opencodePlugin } from './plugin.ts'
import { opencodeHome } from './paths.ts'
import type { RuntimePaths } from '../setup/paths.ts'
import { environmentMember, type RuntimeFiles, type DesiredFile } from '../setup/target.ts'

const NAME = 'opencode'

/** How long OpenCode waits for the server's list of tools. */
const SERVER_TIMEOUT_MS = 5_000

/** OpenCode. */
export const opencodeFiles: RuntimeFiles = {
  home: opencodeHome,
  readAtStart: ['hooks', 'mcp'],
  files({ paths, launch, plugin }) {
    const { command, args } = serverArguments(launch)
    const server = {
      type: 'local',
      command: [command, ...args],
      ...environmentMember(paths, 'environment'),
      enabled: true,
      timeout: SERVER_TIMEOUT_MS,
    }
    const config: DesiredFile = {
      path: configFile(paths),
      part: 'mcp',
      format: 'json',
      hookName: NAME,
      // OpenCode adds this one by itself, and the file would then no longer be as we left it.
      entries: [
        { kind: 'constant', key: '$schema', value: 'https://opencode.ai/config.json' },
        { kind: 'server', list: 'mcp', server },
      ],
    }
    if (!plugin) return [config]
    const path = join(pluginFolder(paths), 'agentd.js')
    return [config, { path, part: 'hooks', format: 'whole', text: opencodePlugin(launch) }]
  },
  notes: ({ plugin }) =>
    plugin
      ? ['With a plugin, OpenCode waits up to half a minute at its start when there is no network.']
      : ['OpenCode has the server only; --plugin adds the plugin that announces edits.'],
}

/** The one that is there; OpenCode reads both endings. */
function configFile(paths: RuntimePaths): string {
  const folder = paths.scope === 'user' ? opencodeHome(paths) : paths.project
  const commented = join(folder, 'opencode.jsonc')
  return existsSync(commented) ? commented : join(folder, 'opencode.json')
}

function pluginFolder(paths: RuntimePaths): string {
  return paths.scope === 'user'
    ? join(opencodeHome(paths), 'plugins')
    : join(paths.project, '.opencode', 'plugins')
}
