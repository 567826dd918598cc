/**
 * What makes the Copilot CLI, VS Code, Cursor and OpenCode leave us out without a word.
 *
 * @see docs/runtimes.md §0 finding 6, §§3, 5
 */
import { join } from 'node:path'
import { SERVER_NAME } from '../setup/files/json-file.ts'
import { copilotHome, opencodeHome, vscodeHome } from '../setup/paths.ts'
import { ownSettings } from '../claude-code/switches.ts'
import { configFaults, type ConfigValue, memberAt, readJsonConfig, readJsonFolder } from './config-text.ts'
import { notesOn, type DoctorFinding, type Notes } from './finding.ts'
import { hookEntries, type HookFile } from './installed.ts'
import type { DoctorTarget } from './target.ts'

/** Copilot CLI. */
export function copilotSwitches({ user }: DoctorTarget): readonly DoctorFinding[] {
  const notes = notesOn('copilot')
  const home = copilotHome(user)
  const files = [
    ...[
      join(home, 'settings.json'),
      join(home, 'config.json'),
      join(user.project, '.github', 'copilot', 'settings.json'),
      join(user.project, '.github', 'copilot', 'settings.local.json'),
    ].map(readJsonConfig),
    ...readJsonFolder(join(home, 'hooks')),
  ]
  return files
    .filter(({ value }) => value['disableAllHooks'] === true)
    .map(({ path }) =>
      notes.fail(
        'disable-all-hooks',
        `disableAllHooks in ${path} switches off hooks of the Copilot CLI.`,
        `take it out of ${path}`,
      ),
    )
}

/** VS Code. */
export function vscodeSwitches(target: DoctorTarget): readonly DoctorFinding[] {
  const notes = notesOn('vscode')
  const { user, surroundings } = target
  const settings = [
    join(vscodeHome(user), 'settings.json'),
    join(user.project, '.vscode', 'settings.json'),
  ].map(readJsonConfig)
  const moved = surroundings.environment.env['COPILOT_HOME']
  return [
    ...settings.flatMap((one) => vscodeSettings(notes, one)),
    ...(moved
      ? [
          notes.warn(
            'hooks-place',
            `COPILOT_HOME is ${moved}, and VS Code looks for hooks in ~/.copilot/hooks only.`,
            'add the folder to chat.hookFilesLocations',
          ),
        ]
      : []),
    ...settings.flatMap((one) => claudeHooksInVscode(target, notes, one)),
  ]
}

function vscodeSettings(notes: Notes, { path, value }: ConfigValue): readonly DoctorFinding[] {
  const fix = `change it in ${path}`
  const off = ['chat.useHooks', 'chat.hooks.enabled'].find((name) => value[name] === false)
  const locations = value['chat.hookFilesLocations']
  const shut = ['~/.copilot/hooks', '~/.copilot/hooks/agentd.json', '~/.copilot/hooks/*.json'].find(
    (place) => memberAt(locations, place) === false,
  )
  const isMcpOff = value['chat.mcp.access'] === 'none' || value['chat.mcp.enabled'] === false
  return [
    ...(off === undefined
      ? []
      : [notes.fail('use-hooks', `${off} is false in ${path}: VS Code runs no hooks.`, fix)]),
    ...(shut === undefined
      ? []
      : [notes.fail('hook-files-locations', `chat.hookFilesLocations in ${path} leaves out ${shut}.`, fix)]),
    ...(isMcpOff ? [notes.fail('mcp-enabled', `MCP servers are switched off in ${path}.`, fix)] : []),
  ]
}

/** VS Code can be told to run the hooks of Claude Code too. */
function claudeHooksInVscode(
  { user }: DoctorTarget,
  notes: Notes,
  { path, value }: ConfigValue,
): readonly DoctorFinding[] {
  if (value['chat.useClaudeHooks'] !== true || !hasClaudeHooks(user)) return []
  return [
    notes.ok(
      'hooks-double',
      `VS Code runs the hooks of Claude Code as well (${path}); agentd deals with each event once.`,
    ),
  ]
}

/** Cursor. */
export function cursorSwitches({ user }: DoctorTarget, files: readonly HookFile[]): readonly DoctorFinding[] {
  const notes = notesOn('cursor')
  if (!files.some(({ hasOwn }) => hasOwn) || !hasClaudeHooks(user)) return []
  return [
    notes.ok(
      'hooks-double',
      'Cursor may run the hooks of Claude Code as well; agentd deals with each event once.',
    ),
  ]
}

/** OpenCode. */
export function opencodeSwitches({ user }: DoctorTarget): readonly DoctorFinding[] {
  const notes = notesOn('opencode')
  const places = [opencodeHome(user), user.project].flatMap((folder) =>
    ['opencode.json', 'opencode.jsonc'].map((name) => readJsonConfig(join(folder, name))),
  )
  return places.flatMap((one) => [
    ...configFaults(notes, one, 'OpenCode cannot use it either.'),
    ...(memberAt(one.value, 'mcp', SERVER_NAME, 'enabled') === false
      ? [
          notes.fail(
            'mcp-enabled',
            `enabled is false in ${one.path}: the server of agentd does not start.`,
            `change it in ${one.path}`,
          ),
        ]
      : []),
  ])
}

function hasClaudeHooks(user: DoctorTarget['user']): boolean {
  return ownSettings(user).some(({ value }) =>
    hookEntries(value['hooks'], 'claude-code').some(({ role }) => role !== undefined),
  )
}
