/**
 * What makes Claude Code leave our hooks out without a word, and what keeps an idle session from being woken.
 *
 * @see docs/runtimes.md §§1.3–1.6, 1.9
 */
import { join } from 'node:path'
import { claudeHome } from './paths.ts'
import type { RuntimePaths } from '../setup/paths.ts'
import {
  configFaults,
  type ConfigValue,
  memberAt,
  readJsonConfig,
  readJsonFolder,
  textsOf,
} from '../doctor/config-text.ts'
import { deniedTools } from '../doctor/denied-tools.ts'
import { notesOn, type DoctorFinding, type Notes } from '../doctor/finding.ts'
import { hookEntries, type HookFile } from '../doctor/hook-file.ts'
import type { DoctorTarget, RuntimeDoctor } from '../doctor/target.ts'
import { SERVER_NAME } from '../setup/files/json-file.ts'
import { hasPlugin } from './plugin.ts'
import { pluginFiles } from './plugin-hooks.ts'
import { claudeServers } from './servers.ts'

/** Each of them keeps Claude Code from opening its inbox socket. */
const INBOX_OFF = [
  'DISABLE_TELEMETRY',
  'DO_NOT_TRACK',
  'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
]

/** What the doctor knows of Claude Code alone. */
export const claudeDoctor: RuntimeDoctor = {
  switches: claudeSwitches,
  plugin: { isOn: ({ user }) => hasPlugin(user), hookFiles: pluginFiles },
  servers: claudeServers,
}

/** Whether it has hooks of ours, which other runtimes may run too. */
export function hasClaudeHooks(user: RuntimePaths): boolean {
  return ownSettings(user).some(({ value }) =>
    hookEntries(value['hooks'], 'claude-code').some(({ role }) => role !== undefined),
  )
}

function claudeSwitches(target: DoctorTarget, files: readonly HookFile[]): readonly DoctorFinding[] {
  const notes = notesOn('claude-code')
  const managed = managedSettings(target)
  const settings = [...managed, ...ownSettings(target.user)]
  const own = files.filter(({ hasOwn }) => hasOwn)
  return [
    ...settings.flatMap((one) => [
      ...configFaults(notes, one, 'Claude Code passes it over.'),
      ...disableAll(notes, one),
      ...deniedTools(notes, one.path, deniedBy(one)),
    ]),
    ...askedFirst(target, notes, settings),
    ...managed.flatMap((one) => [...managedOnly(notes, one), ...pluginOnly(notes, one, own)]),
    ...simpleMode(target, notes),
    ...double(target, notes, own),
    ...(own.length === 0 ? [] : waking(target, notes, { settings, own })),
  ]
}

/** What an administrator has laid down; nobody else's word counts against it. */
function managedSettings({ surroundings }: DoctorTarget): readonly ConfigValue[] {
  const { systemDir, environment } = surroundings
  const folder =
    environment.platform === 'darwin'
      ? join('/Library', 'Application Support', 'ClaudeCode')
      : join(systemDir, 'claude-code')
  return [
    readJsonConfig(join(folder, 'managed-settings.json')),
    ...readJsonFolder(join(folder, 'managed-settings.d')),
  ]
}

/** What this user, and this project, have set. */
function ownSettings(user: RuntimePaths): readonly ConfigValue[] {
  return [
    join(claudeHome(user), 'settings.json'),
    join(user.project, '.claude', 'settings.json'),
    join(user.project, '.claude', 'settings.local.json'),
  ].map(readJsonConfig)
}

function disableAll(notes: Notes, { path, value }: ConfigValue): readonly DoctorFinding[] {
  if (value['disableAllHooks'] !== true) return []
  return [
    notes.fail(
      'disable-all-hooks',
      `disableAllHooks in ${path} switches off every hook of Claude Code.`,
      `take it out of ${path}`,
    ),
  ]
}

/** Rules of permissions name a server's tools `mcp__<server>__<tool>`; a whole server may be denied as well. */
function deniedBy({ value }: ConfigValue): readonly string[] {
  const rules = textsOf(memberAt(value, 'permissions', 'deny')).filter(
    // A rule that allows has to name a server, and one that denies has not.
    (rule) => rule === 'mcp__*' || isOwnRule(rule),
  )
  const servers = value['deniedMcpServers']
  const isDenied =
    Array.isArray(servers) && servers.some((one) => memberAt(one, 'serverName') === SERVER_NAME)
  return [
    ...rules.map((rule) => `permissions.deny ${rule}`),
    ...(isDenied ? [`deniedMcpServers ${SERVER_NAME}`] : []),
  ]
}

function isOwnRule(rule: string): boolean {
  return /^mcp__agentd(?:__.*)?$/.test(rule)
}

/** Where nobody can be asked, what is not allowed is denied. */
function askedFirst(
  target: DoctorTarget,
  notes: Notes,
  settings: readonly ConfigValue[],
): readonly DoctorFinding[] {
  const isAllowed = settings.some(({ value }) =>
    textsOf(memberAt(value, 'permissions', 'allow')).some(isOwnRule),
  )
  if (isAllowed || claudeServers(target).length === 0) return []
  const path = join(claudeHome(target.user), 'settings.json')
  const sentence =
    'Claude Code asks before it uses a tool of agentd, and in a -p run, where nobody can be asked, denies it.'
  return [notes.off('mcp-allowed', sentence, `add "mcp__agentd" to permissions.allow in ${path}`)]
}

function managedOnly(notes: Notes, { path, value }: ConfigValue): readonly DoctorFinding[] {
  if (value['allowManagedHooksOnly'] !== true) return []
  return [
    notes.fail(
      'managed-hooks-only',
      `allowManagedHooksOnly in ${path} lets only the administrator's hooks run.`,
      'ask whoever administers this machine',
    ),
  ]
}

function pluginOnly(
  notes: Notes,
  { path, value }: ConfigValue,
  own: readonly HookFile[],
): readonly DoctorFinding[] {
  const only = value['strictPluginOnlyCustomization']
  const isOn = only === true || textsOf(only).includes('hooks')
  if (!isOn || own.every(({ scope }) => scope === 'plugin')) return []
  return [
    notes.fail(
      'plugin-only-customization',
      `strictPluginOnlyCustomization in ${path} lets hooks come from plugins only, and ours stand in the settings.`,
      'agentd setup claude-code --plugin <folder>',
    ),
  ]
}

function simpleMode({ surroundings }: DoctorTarget, notes: Notes): readonly DoctorFinding[] {
  return ['CLAUDE_CODE_SIMPLE', 'CLAUDE_CODE_SAFE_MODE']
    .filter((name) => surroundings.environment.env[name])
    .map((name) =>
      notes.fail('simple-mode', `${name} is set; with it, Claude Code runs no hooks.`, `unset ${name}`),
    )
}

/** Two hooks for one event; the second finds that the first has dealt with it, and both cost. */
function double(target: DoctorTarget, notes: Notes, own: readonly HookFile[]): readonly DoctorFinding[] {
  const inSettings = own.filter(({ scope }) => scope !== 'plugin')
  if (hasPlugin(target.user) && inSettings.length > 0) {
    const [file] = inSettings
    return [
      notes.warn(
        'hooks-double',
        `The plugin and ${file?.path ?? 'the settings'} both bring the hooks, so each runs twice.`,
        'agentd setup claude-code --undo',
      ),
    ]
  }
  if (inSettings.length < 2) return []
  return [
    notes.warn(
      'hooks-double',
      `The hooks stand in ${inSettings.map(({ path }) => path).join(' and ')}, so each runs twice.`,
      'agentd setup claude-code --scope project --undo',
    ),
  ]
}

/** Two ways to wake an idle session; either is enough. */
function waking(
  { surroundings }: DoctorTarget,
  notes: Notes,
  { settings, own }: { readonly settings: readonly ConfigValue[]; readonly own: readonly HookFile[] },
): readonly DoctorFinding[] {
  const { env } = surroundings.environment
  const isSet = (name: string): boolean =>
    Boolean(env[name]) || settings.some(({ value }) => memberAt(value, 'env', name) !== undefined)
  const off = INBOX_OFF.find(isSet)
  const policies = settings.map(({ path, value }) => ({ path, policy: value['crossSessionInbound'] }))
  const held = policies.find(({ policy }) => policy === 'hold' || policy === 'refuse')
  if (off === undefined && held === undefined) return []
  const why =
    off === undefined
      ? `crossSessionInbound is "${String(held?.policy)}" in ${held?.path ?? ''}`
      : `${off} is set, with which Claude Code may not open it`
  const isWaiting = own.some(({ entries }) => entries.some(({ role }) => role === 'wait'))
  return isWaiting
    ? [
        notes.ok(
          'inbox-socket',
          `The inbox socket may be shut (${why}); the waiting hook wakes an idle session.`,
        ),
      ]
    : [
        notes.warn(
          'inbox-socket',
          `Nothing wakes an idle session: ${why}, and no hook waits.`,
          'agentd setup claude-code',
        ),
      ]
}
