/**
 * What the repository holds for the marketplaces of runtimes: one folder that is a plugin to Claude Code and to Codex, and
 * the list that names it, which both read.
 *
 * A plugin is copied to wherever its runtime keeps them, so it holds no program: hooks and server start the agentd that is
 * installed, by its name.
 *
 * @see docs/decisions/042-one-plugin-for-two.md
 */
import { packageVersion } from '../../host/package.ts'
import { byEvent, DESCRIPTION, PLUGIN } from '../claude-code/plugin.ts'
import { NAMED_HOOKS, PUBLISHED_HOOKS } from '../claude-code/published.ts'
import { codexHooksBy } from '../codex/setup.ts'
import { SERVER_NAME } from '../setup/files/json-file.ts'
import { NAMED_SERVER, namedLine } from '../setup/files/launch.ts'
import { README, SKILL } from './texts.ts'

/** The folder of the plugin, from the repository's root. */
const FOLDER = 'plugin'

const CODEX_HOOKS = 'codex.json'

/** Path from the repository's root → what stands there. */
export function publishedFiles(): ReadonlyMap<string, string> {
  const about = {
    name: PLUGIN,
    version: packageVersion(),
    description: DESCRIPTION,
    author: { name: PLUGIN },
    license: 'MIT',
  }
  const hooksOfCodex = codexHooksBy(() => namedLine('codex'))
  const files: Readonly<Record<string, unknown>> = {
    '.claude-plugin/marketplace.json': {
      name: PLUGIN,
      description: DESCRIPTION,
      owner: { name: PLUGIN },
      plugins: [{ name: PLUGIN, source: `./${FOLDER}`, description: DESCRIPTION }],
    },
    [`${FOLDER}/.claude-plugin/plugin.json`]: { ...about, hooks: `./hooks/${PUBLISHED_HOOKS}` },
    [`${FOLDER}/.codex-plugin/plugin.json`]: {
      ...about,
      skills: './skills/',
      mcpServers: './.mcp.json',
      hooks: `./hooks/${CODEX_HOOKS}`,
    },
    [`${FOLDER}/.mcp.json`]: { mcpServers: { [SERVER_NAME]: NAMED_SERVER } },
    [`${FOLDER}/hooks/${PUBLISHED_HOOKS}`]: { description: DESCRIPTION, hooks: byEvent(NAMED_HOOKS) },
    [`${FOLDER}/hooks/${CODEX_HOOKS}`]: { hooks: byEvent(hooksOfCodex) },
  }
  return new Map([
    ...Object.entries(files).map(([path, value]) => [path, `${JSON.stringify(value, null, 2)}\n`] as const),
    [`${FOLDER}/skills/${PLUGIN}/SKILL.md`, SKILL],
    [`${FOLDER}/README.md`, README],
  ])
}
