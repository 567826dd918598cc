/**
 * What makes the Gemini CLI leave us out without a word.
 *
 * @see docs/runtimes.md §4
 */
import { join } from 'node:path'
import { SERVER_NAME } from '../setup/files/json-file.ts'
import { geminiHome } from './paths.ts'
import { configFaults, type ConfigValue, memberAt, readJsonConfig, textsOf } from '../doctor/config-text.ts'
import { deniedTools } from '../doctor/denied-tools.ts'
import { notesOn, type DoctorFinding, type Notes } from '../doctor/finding.ts'
import { geminiTrust } from './trust.ts'
import type { HookFile } from '../doctor/hook-file.ts'
import type { DoctorTarget, RuntimeDoctor } from '../doctor/target.ts'

/** Gemini counts in milliseconds; a bound below this was meant in seconds, and no hook is done in it. */
const LEAST_GEMINI_TIMEOUT_MS = 500

/** What the doctor knows of the Gemini CLI alone. */
export const geminiDoctor: RuntimeDoctor = { switches: geminiSwitches }

function geminiSwitches(target: DoctorTarget, files: readonly HookFile[]): readonly DoctorFinding[] {
  const notes = notesOn('gemini')
  const { user, surroundings } = target
  const settings = [
    join(surroundings.systemDir, 'gemini-cli', 'settings.json'),
    join(geminiHome(user), 'settings.json'),
    join(user.project, '.gemini', 'settings.json'),
  ].map(readJsonConfig)
  return [
    ...settings.flatMap((one) => [
      ...configFaults(notes, one, 'Gemini CLI cannot use it either.'),
      ...geminiHooksOff(notes, one, files),
    ]),
    ...settings.flatMap((one) => [
      ...geminiServerOff(notes, one),
      ...deniedTools(notes, one.path, deniedBy(one)),
    ]),
    ...files.flatMap((file) => geminiTimeouts(notes, file)),
    // Somebody who has not set us up loses nothing by it.
    ...(isSetUp(settings, files) ? geminiTrust(target, notes) : []),
    ...files.flatMap((file) => geminiProjectHooks(target, notes, file)),
  ]
}

function isSetUp(settings: readonly ConfigValue[], files: readonly HookFile[]): boolean {
  return (
    files.some(({ hasOwn }) => hasOwn) ||
    settings.some(({ value }) => memberAt(value, 'mcpServers', SERVER_NAME) !== undefined)
  )
}

function geminiHooksOff(
  notes: Notes,
  { path, value }: ConfigValue,
  files: readonly HookFile[],
): readonly DoctorFinding[] {
  const fix = `take it out of ${path}`
  const isOff = memberAt(value, 'hooksConfig', 'enabled') === false
  const own = files.flatMap(({ entries }) => entries.filter(({ role }) => role !== undefined))
  const names = new Set(own.map(({ handler }) => String(handler['name'] ?? handler['command'])))
  const disabled = textsOf(memberAt(value, 'hooksConfig', 'disabled')).find((name) => names.has(name))
  return [
    ...(isOff
      ? [
          notes.fail(
            'hooks-enabled',
            `hooksConfig.enabled is false in ${path}: no hook of Gemini CLI runs.`,
            fix,
          ),
        ]
      : []),
    ...(disabled === undefined
      ? []
      : [
          notes.fail(
            'hooks-disabled',
            `hooksConfig.disabled in ${path} names "${disabled}", which is our hook.`,
            fix,
          ),
        ]),
  ]
}

function geminiServerOff(notes: Notes, { path, value }: ConfigValue): readonly DoctorFinding[] {
  const allowed = memberAt(value, 'mcp', 'allowed')
  const isLeftOut = Array.isArray(allowed) && !textsOf(allowed).includes(SERVER_NAME)
  const isExcluded = textsOf(memberAt(value, 'mcp', 'excluded')).includes(SERVER_NAME)
  if (!isLeftOut && !isExcluded) return []
  const why = isExcluded ? 'mcp.excluded names it' : 'mcp.allowed does not name it'
  return [
    notes.fail(
      'mcp-enabled',
      `The server of agentd does not start: ${why} in ${path}.`,
      `change it in ${path}`,
    ),
  ]
}

function deniedBy({ value }: ConfigValue): readonly string[] {
  const server = memberAt(value, 'mcpServers', SERVER_NAME)
  const included = memberAt(server, 'includeTools')
  return [
    ...textsOf(memberAt(server, 'excludeTools')).map((tool) => `excludeTools ${tool}`),
    ...(Array.isArray(included) ? ['all that includeTools does not name'] : []),
  ]
}

function geminiTimeouts(notes: Notes, { path, entries }: HookFile): readonly DoctorFinding[] {
  const short = entries.find(({ role, handler }) => {
    const timeout = handler['timeout']
    return role !== undefined && typeof timeout === 'number' && timeout < LEAST_GEMINI_TIMEOUT_MS
  })
  if (short === undefined) return []
  const said = `The timeout of our ${short.event} hook in ${path} is ${String(short.handler['timeout'])} milliseconds, too short for any hook.`
  return [notes.fail('hooks-timeout', said, `write milliseconds in ${path}, such as 5000`)]
}

/** It warns once of each hook of a project, by name and command, and then runs it. */
function geminiProjectHooks(
  { user }: DoctorTarget,
  notes: Notes,
  { scope, path, entries }: HookFile,
): readonly DoctorFinding[] {
  if (scope !== 'project') return []
  const known = textsOf(
    memberAt(readJsonConfig(join(geminiHome(user), 'trusted_hooks.json')).value, user.project),
  )
  const own = entries.filter(({ role }) => role !== undefined)
  const fresh = own.filter(
    ({ handler }) => !known.includes(`${nameOf(handler)}:${String(handler['command'])}`),
  )
  if (fresh.length === 0) return []
  return [notes.ok('hooks-trust', `Gemini CLI will warn once of the hooks in ${path}, and run them.`)]
}

/** As Gemini CLI has it in its list: empty where there is none. */
function nameOf({ name }: Readonly<Record<string, unknown>>): string {
  return typeof name === 'string' ? name : ''
}
