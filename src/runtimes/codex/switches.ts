/**
 * What makes Codex leave our hooks or our server out without a word.
 *
 * @see docs/runtimes.md §§2.1, 2.2
 */
import { join } from 'node:path'
import { codexHome } from './paths.ts'
import { SERVER_NAME } from '../setup/files/json-file.ts'
import { codexTrust, type TrustState } from './trust.ts'
import {
  configFaults,
  type ConfigValue,
  memberAt,
  textsOf,
  readConfigText,
  readTomlConfig,
} from '../doctor/config-text.ts'
import { deniedTools } from '../doctor/denied-tools.ts'
import { notesOn, type DoctorFinding, type Notes } from '../doctor/finding.ts'
import type { HookFile } from '../doctor/hook-file.ts'
import type { DoctorTarget, RuntimeDoctor } from '../doctor/target.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

const TRUST_FIX = 'run /hooks in Codex and trust agentd'

/** All that the file may hold beside hooks; one more member and Codex drops it. */
const TOP_MEMBERS = ['description', 'hooks']

/** One handler of another type, and Codex drops the file. */
const HANDLER_TYPES = ['command', 'mcp_tool', 'prompt', 'agent']

/** Under other names Codex does not look at the handlers at all. */
const EVENTS = [
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PreCompact',
  'PostCompact',
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'Interrupt',
]

/** What the doctor knows of Codex alone. */
export const codexDoctor: RuntimeDoctor = { switches: codexSwitches, scrubsVariables: true }

function codexSwitches(target: DoctorTarget, files: readonly HookFile[]): readonly DoctorFinding[] {
  const notes = notesOn('codex')
  const config = readTomlConfig(join(codexHome(target.user), 'config.toml'))
  const own = files.filter(({ hasOwn }) => hasOwn)
  return [
    ...configFaults(notes, config, 'Codex does not start with it.'),
    ...featureSwitches(target, notes, config),
    ...serverSwitch(notes, config),
    ...deniedTools(notes, config.path, deniedBy(config)),
    ...own.flatMap((file) => [...dropped(notes, file), ...trust(notes, file, config)]),
    ...own.flatMap((file) => projectTrust(target, notes, { file, config })),
  ]
}

function featureSwitches(
  { surroundings }: DoctorTarget,
  notes: Notes,
  config: ConfigValue,
): readonly DoctorFinding[] {
  const required = readTomlConfig(join(surroundings.systemDir, 'codex', 'requirements.toml'))
  return [required, config].flatMap(({ path, value }) =>
    ['hooks', 'codex_hooks']
      .filter((name) => memberAt(value, 'features', name) === false)
      .map((name) =>
        notes.fail(
          'features-hooks',
          `[features] ${name} = false in ${path} switches off every hook of Codex.`,
          `take it out of ${path}`,
        ),
      ),
  )
}

function serverSwitch(notes: Notes, { path, value }: ConfigValue): readonly DoctorFinding[] {
  if (memberAt(value, 'mcp_servers', SERVER_NAME, 'enabled') !== false) return []
  return [
    notes.fail(
      'mcp-enabled',
      `enabled = false in ${path} keeps the server of agentd from starting.`,
      `take it out of ${path}`,
    ),
  ]
}

function deniedBy({ value }: ConfigValue): readonly string[] {
  const server = memberAt(value, 'mcp_servers', SERVER_NAME)
  const enabled = memberAt(server, 'enabled_tools')
  return [
    ...textsOf(memberAt(server, 'disabled_tools')).map((tool) => `disabled_tools ${tool}`),
    ...(Array.isArray(enabled) ? ['all that enabled_tools does not name'] : []),
  ]
}

/** Codex reads the file strictly, and all of it or nothing. */
function dropped(notes: Notes, { path }: HookFile): readonly DoctorFinding[] {
  const file = readConfigText(path)
  const why = file.kind === 'text' ? dropReason(file.text) : undefined
  if (why === undefined) return []
  return [notes.fail('hooks-file', `Codex drops the whole of ${path}: ${why}.`, `take that out of ${path}`)]
}

function dropReason(text: string): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'it is no strict JSON (comments and trailing commas are not taken)'
  }
  if (!isJsonObject(value)) return 'it is no object'
  const extra = Object.keys(value).find((name) => !TOP_MEMBERS.includes(name))
  if (extra !== undefined) return `"${extra}" is no member it knows`
  const types = EVENTS.flatMap((event) => handlerTypes(memberAt(value, 'hooks', event)))
  const unknown = types.find((type) => !HANDLER_TYPES.includes(type))
  return unknown === undefined ? undefined : `"${unknown}" is no type of handler it knows`
}

function handlerTypes(groups: unknown): readonly string[] {
  if (!Array.isArray(groups)) return []
  const handlers = groups.flatMap((group): readonly unknown[] => {
    const list = memberAt(group, 'hooks')
    return Array.isArray(list) ? list : []
  })
  return handlers.map((handler) => String(memberAt(handler, 'type')))
}

const SAID: Readonly<Record<Exclude<TrustState, 'trusted'>, string>> = {
  untrusted: 'not trusted',
  modified: 'changed since they were trusted',
  disabled: 'switched off in /hooks',
}

/** One sentence for each state there is. */
function trust(notes: Notes, file: HookFile, config: ConfigValue): readonly DoctorFinding[] {
  const own = file.entries.filter(({ role }) => role !== undefined)
  if (own.length === 0) return []
  const states = own.map((entry) => ({ event: entry.event, state: codexTrust(file, entry, config) }))
  const faults = (['untrusted', 'modified', 'disabled'] as const).flatMap((state) => {
    const events = states.filter((one) => one.state === state).map(({ event }) => event)
    if (events.length === 0) return []
    const which = events.length === own.length ? 'all' : events.join(', ')
    const sentence = `Codex skips ${events.length} of our ${own.length} hooks in ${file.path} (${which}): they are ${SAID[state]}.`
    return [notes.fail('hooks-trust', sentence, TRUST_FIX)]
  })
  return faults.length > 0
    ? faults
    : [notes.ok('hooks-trust', `Codex trusts all ${own.length} hooks in ${file.path}.`)]
}

/** Files of a project count only where the project is trusted. */
function projectTrust(
  { project }: DoctorTarget,
  notes: Notes,
  { file, config }: { readonly file: HookFile; readonly config: ConfigValue },
): readonly DoctorFinding[] {
  if (file.scope !== 'project') return []
  const level = memberAt(config.value, 'projects', project.project, 'trust_level')
  if (level === 'trusted') return []
  return [
    notes.warn(
      'project-trust',
      `Codex reads ${file.path} only once it trusts the project ${project.project}.`,
      'start Codex there and trust the folder',
    ),
  ]
}
