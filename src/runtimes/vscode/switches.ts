/**
 * What makes VS Code leave us out without a word.
 *
 * @see docs/runtimes.md §5.2
 */
import { join } from 'node:path'
import { hasClaudeHooks } from '../claude-code/switches.ts'
import { type ConfigValue, memberAt, readJsonConfig } from '../doctor/config-text.ts'
import { notesOn, type DoctorFinding, type Notes } from '../doctor/finding.ts'
import type { DoctorTarget, RuntimeDoctor } from '../doctor/target.ts'
import { vscodeHome } from './paths.ts'

/** What the doctor knows of VS Code alone. */
export const vscodeDoctor: RuntimeDoctor = { switches: vscodeSwitches }

function vscodeSwitches(target: DoctorTarget): readonly DoctorFinding[] {
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
