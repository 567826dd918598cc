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
import { isThere, opencodeHome, type RuntimePaths } from '../setup/paths.ts'
import { environmentMember, type RuntimeSetup, type DesiredFile } from '../setup/target.ts'

const NAME = 'opencode'

/** How long OpenCode waits for the server's list of tools. */
const SERVER_TIMEOUT_MS = 5_000

/** OpenCode. */
export const opencode: RuntimeSetup = {
  id: NAME,
  title: 'OpenCode',
  isInstalled: (places) => isThere(places.environment, ['opencode'], opencodeHome(places)),
  files({ places, launch, plugin }) {
    const { command, args } = serverArguments(launch)
    const server = {
      type: 'local',
      command: [command, ...args],
      ...environmentMember(places, 'environment'),
      enabled: true,
      timeout: SERVER_TIMEOUT_MS,
    }
    const config: DesiredFile = {
      path: configFile(places),
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
    const path = join(pluginFolder(places), 'agentd.js')
    return [config, { path, part: 'hooks', format: 'whole', text: opencodePlugin(launch) }]
  },
  notes: ({ plugin }) =>
    plugin
      ? ['With a plugin, OpenCode waits up to half a minute at its start when there is no network.']
      : ['OpenCode has the server only; --plugin adds the plugin that announces edits.'],
}

/** The one that is there; OpenCode reads both endings. */
function configFile(places: RuntimePaths): string {
  const folder = places.scope === 'user' ? opencodeHome(places) : places.project
  const commented = join(folder, 'opencode.jsonc')
  return existsSync(commented) ? commented : join(folder, 'opencode.json')
}

function pluginFolder(places: RuntimePaths): string {
  return places.scope === 'user'
    ? join(opencodeHome(places), 'plugins')
    : join(places.project, '.opencode', 'plugins')
}
