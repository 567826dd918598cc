/**
 * The Claude Code plugin: a folder that is a marketplace with one plugin in it.
 *
 * Claude Code copies a plugin when it installs it, so the plugin holds no program, only the way to ours.
 *
 * @see docs/runtimes.md §1.9
 */
import { join, resolve } from 'node:path'
import { isJsonObject } from '../../core/text/json-object.ts'
import { shellWord } from '../../core/text/shell-word.ts'
import { packageVersion } from '../../host/package.ts'
import { readJsonConfig } from '../doctor/config-text.ts'
import { SERVER_NAME, type JsonEntry } from '../setup/files/json-file.ts'
import { serverArguments, type Launch } from '../setup/files/launch.ts'
import type { RuntimePaths } from '../setup/paths.ts'
import type { DesiredFile } from '../setup/target.ts'
import { claudeHome } from './paths.ts'

/** Of the folder that set-up writes. */
export const MARKETPLACE = 'agentd-local'
/** What the plugin is called, and what it is. */
export const PLUGIN = 'agentd'
export const DESCRIPTION = 'Short messages between the coding-agent sessions on one machine'

/** Whether it is switched on for this user. */
export function hasPlugin(paths: RuntimePaths): boolean {
  return findMarketplace(paths) !== undefined
}

/** Where the plugin that is switched on comes from: the folder that set-up wrote, or what is published. */
export function findMarketplace(paths: RuntimePaths): string | undefined {
  const plugins = readJsonConfig(join(claudeHome(paths), 'settings.json')).value['enabledPlugins']
  if (!isJsonObject(plugins)) return undefined
  const own = Object.keys(plugins).find((name) => name.startsWith(`${PLUGIN}@`) && plugins[name] === true)
  return own?.slice(PLUGIN.length + 1)
}

/** All files of the folder. */
export function claudePlugin(
  folder: string,
  launch: Launch,
  hooks: readonly JsonEntry[],
): readonly DesiredFile[] {
  const files: Readonly<Record<string, unknown>> = {
    '.claude-plugin/marketplace.json': {
      name: MARKETPLACE,
      description: DESCRIPTION,
      owner: { name: PLUGIN },
      plugins: [{ name: PLUGIN, source: `./${PLUGIN}`, description: DESCRIPTION }],
    },
    [`${PLUGIN}/.claude-plugin/plugin.json`]: {
      name: PLUGIN,
      version: packageVersion(),
      description: DESCRIPTION,
      author: { name: PLUGIN },
      license: 'MIT',
    },
    [`${PLUGIN}/hooks/hooks.json`]: { description: DESCRIPTION, hooks: byEvent(hooks) },
    [`${PLUGIN}/.mcp.json`]: { mcpServers: { [SERVER_NAME]: serverArguments(launch) } },
  }
  const written = Object.entries(files).map(([name, value]) =>
    whole(join(resolve(folder), name), json(value)),
  )
  return [...written, whole(join(resolve(folder), PLUGIN, 'README.md'), README)]
}

/** What to run next. */
export function pluginNotes(folder: string): readonly string[] {
  return [
    `Run "claude plugin marketplace add ${shellWord(resolve(folder))}" and "claude plugin install ${PLUGIN}@${MARKETPLACE}".`,
    `To be rid of it again, run "claude plugin uninstall ${PLUGIN}" before "agentd setup claude-code --undo".`,
  ]
}

const README = `# agentd for Claude Code

${DESCRIPTION}. The plugin holds hooks and an MCP server; both start the agentd that
wrote this folder, by its path. After an update of Node or agentd, write it again:
\`agentd setup claude-code --plugin <this folder>\`.
`

/** Entries as a file of hooks has them. */
export function byEvent(entries: readonly JsonEntry[]): Readonly<Record<string, readonly unknown[]>> {
  const events: Record<string, unknown[]> = {}
  for (const entry of entries) {
    if (entry.kind === 'hook') (events[entry.event] ??= []).push({ ...entry.group, hooks: [entry.handler] })
  }
  return events
}

function whole(path: string, text: string): DesiredFile {
  return { path, part: 'hooks', format: 'whole', text }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
