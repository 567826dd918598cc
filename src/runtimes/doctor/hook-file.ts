/**
 * A file of hooks, and what stands in it: ours and others'.
 */
import { isJsonObject } from '../../core/text/json-object.ts'
import { readShellWords } from '../edits/shell-words.ts'
import { findHookRole, type HookRole, type Launch } from '../setup/files/launch.ts'
import { textsOf } from './config-text.ts'

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
  /** How it is set up anew, where set-up does not write it by itself; a command. */
  readonly fix?: string
}

/** Handlers of a value such as `{"Stop": [{"hooks": [{…}]}]}`, in groups or not. */
export function hookEntries(hooks: unknown, runtime: string): readonly HookEntry[] {
  if (!isJsonObject(hooks)) return []
  return Object.entries(hooks).flatMap(([event, groups]) =>
    Array.isArray(groups) ? groups.flatMap((item, group) => entriesOf(item, { event, group, runtime })) : [],
  )
}

/** How our entries start agentd, each way once. */
export function launchesOf(entries: readonly HookEntry[]): readonly Launch[] {
  const found = entries.flatMap(({ role, handler }) => (role === undefined ? [] : (launchOf(handler) ?? [])))
  return found.filter((launch, i) => found.findIndex((other) => isSameLaunch(launch, other)) === i)
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

/** Whether two ways to start agentd are one. */
export function isSameLaunch(a: Launch, b: Launch): boolean {
  return a.node === b.node && a.script === b.script
}

/** Of `command` and `args`, of one list, or of one line of a shell. */
export function launchOf(entry: Readonly<Record<string, unknown>>): Launch | undefined {
  const { command, args, bash } = entry
  if (typeof command === 'string' && Array.isArray(args)) return pairOf([command, ...textsOf(args)])
  if (Array.isArray(command)) return pairOf(textsOf(command))
  const line = typeof command === 'string' ? command : bash
  const tokens = typeof line === 'string' ? readShellWords(line) : undefined
  const words = tokens?.flatMap((token) => (token.kind === 'word' ? [token.text] : []))
  // Where there is no `exec`, the line begins with what it starts.
  return words && pairOf(words.slice(words.indexOf('exec') + 1))
}

function pairOf([node, script]: readonly string[]): Launch | undefined {
  return node === undefined || script === undefined ? undefined : { node, script }
}
