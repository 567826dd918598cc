/**
 * The hooks of ours that a runtime has, wherever they stand.
 */
import { join } from 'node:path'
import { mergeText } from '../setup/file-text.ts'
import { findHookRole, type HookRole, type Launch } from '../setup/files/launch.ts'
import { claudeHome, type RuntimePaths } from '../setup/paths.ts'
import type { DesiredFile } from '../setup/target.ts'
import { MAX_DROP_INS } from './bounds.ts'
import { namesIn, readConfigText, readJsonConfig, textsOf } from './config-text.ts'
import { isSameLaunch, launchOf } from './own-launch.ts'
import type { DoctorTarget } from './target.ts'
import { desiredFiles } from './setup-files.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** One entry of a file of hooks, whoever's it is. */
export interface HookEntry {
  readonly event: string
  /** Places in the lists, as runtimes count them. */
  readonly group: number
  readonly index: number
  readonly matcher: string | undefined
  readonly handler: Readonly<Record<string, unknown>>
  /** Undefined for somebody else's. */
  readonly role: HookRole | undefined
}

/** One file that may hold hooks of ours. */
export interface HookFile {
  readonly path: string
  readonly scope: 'user' | 'project' | 'plugin'
  readonly entries: readonly HookEntry[]
  /** How ours start agentd, each way once. */
  readonly launches: readonly Launch[]
  readonly hasOwn: boolean
  /** Whether it holds everything set-up would write now. */
  readonly isCurrent: boolean
  readonly fault: string | undefined
}

/** Every file of hooks that is there. */
export function hookFiles(target: DoctorTarget): readonly HookFile[] {
  const { setup, user, project } = target
  const desired = [user, project].flatMap((places) =>
    desiredFiles(target, places).map((file) => ({ file, scope: places.scope })),
  )
  const found = desired.flatMap(({ file, scope }) => readHookFile(file, scope) ?? [])
  return setup.id === 'claude-code' ? [...found, ...claudePluginFiles(target)] : found
}

/** Handlers of a value such as `{"Stop": [{"hooks": [{…}]}]}`, in groups or not. */
export function hookEntries(hooks: unknown, runtime: string): readonly HookEntry[] {
  if (!isJsonObject(hooks)) return []
  return Object.entries(hooks).flatMap(([event, groups]) =>
    Array.isArray(groups) ? groups.flatMap((item, group) => entriesOf(item, { event, group, runtime })) : [],
  )
}

/** Whether the plugin of Claude Code is switched on for the user. */
export function hasClaudePlugin(user: RuntimePaths): boolean {
  const plugins = readJsonConfig(join(claudeHome(user), 'settings.json')).value['enabledPlugins']
  return (
    isJsonObject(plugins) &&
    Object.entries(plugins).some(([name, on]) => name.startsWith('agentd@') && on === true)
  )
}

/** @returns undefined for a file that holds no hooks by its nature, or is not there */
function readHookFile(desired: DesiredFile, scope: HookFile['scope']): HookFile | undefined {
  if (desired.format === 'whole') return readPluginFile(desired, scope)
  if (desired.format !== 'json' || !desired.entries.some(({ kind }) => kind === 'hook')) return undefined
  const config = readJsonConfig(desired.path)
  if (!config.isThere) return undefined
  const entries = hookEntries(config.value['hooks'], desired.hookName)
  return {
    path: desired.path,
    scope,
    entries,
    launches: launchesOf(entries),
    hasOwn: entries.some(({ role }) => role !== undefined),
    isCurrent: config.fault === undefined && isMerged(config.text, desired),
    fault: config.fault,
  }
}

/** A file of code that is ours as a whole. */
function readPluginFile(
  desired: DesiredFile & { readonly format: 'whole' },
  scope: HookFile['scope'],
): HookFile | undefined {
  const file = readConfigText(desired.path)
  if (file.kind === 'absent') return undefined
  const text = file.kind === 'text' ? file.text : ''
  // The list of words that starts us; the file is ours as long as it has one.
  const words = /= (\["(?:[^"\\]|\\.)*"(?:,"(?:[^"\\]|\\.)*")*\])$/m.exec(text)?.[1]
  const [node, script] = words === undefined ? [] : textsOf(JSON.parse(words))
  return {
    path: desired.path,
    scope,
    entries: [],
    launches: node === undefined || script === undefined ? [] : [{ node, script }],
    hasOwn: script !== undefined,
    isCurrent: text === desired.text,
    fault: file.kind === 'refused' ? file.reason : undefined,
  }
}

/** The copies that Claude Code made when it installed the plugin; those of a plugin that is off do not count. */
function claudePluginFiles({ user, surroundings }: DoctorTarget): readonly HookFile[] {
  if (!hasClaudePlugin(user)) return []
  const folder = join(claudeHome(user), 'plugins', 'cache', 'agentd-local', 'agentd')
  // The newest is last; older ones wait to be swept.
  const newest = namesIn(folder).slice(-MAX_DROP_INS).at(-1)
  const path =
    newest === undefined ? join(folder, 'hooks', 'hooks.json') : join(folder, newest, 'hooks', 'hooks.json')
  const config = readJsonConfig(path)
  const entries = hookEntries(config.value['hooks'], 'claude-code')
  const launches = launchesOf(entries)
  return [
    {
      path,
      scope: 'plugin',
      entries,
      launches,
      hasOwn: true,
      // What cannot be read is not called old.
      isCurrent: launches.every((launch) => isSameLaunch(launch, surroundings.launch)),
      fault: config.isThere ? config.fault : undefined,
    },
  ]
}

function isMerged(text: string, desired: DesiredFile): boolean {
  try {
    return mergeText(text, desired).text === text
  } catch {
    // Refused for some reason, such as a key that stands twice; set-up says which.
    return false
  }
}

function entriesOf(
  item: unknown,
  { event, group, runtime }: { readonly event: string; readonly group: number; readonly runtime: string },
): readonly HookEntry[] {
  if (!isJsonObject(item)) return []
  const matcher = typeof item['matcher'] === 'string' ? item['matcher'] : undefined
  const handlers: readonly unknown[] = Array.isArray(item['hooks']) ? item['hooks'] : [item]
  return handlers.flatMap((handler, index) =>
    isJsonObject(handler)
      ? [{ event, group, index, matcher, handler, role: findHookRole(handler, runtime) }]
      : [],
  )
}

function launchesOf(entries: readonly HookEntry[]): readonly Launch[] {
  const found = entries.flatMap(({ role, handler }) => (role === undefined ? [] : (launchOf(handler) ?? [])))
  return found.filter((launch, i) => found.findIndex((other) => isSameLaunch(launch, other)) === i)
}
