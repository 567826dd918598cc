/**
 * A file of hooks, and what stands in it: ours and others'.
 */
import { isJsonObject } from '../../core/text/json-object.ts'
import { readShellWords } from '../edits/shell-words.ts'
import { readCurlLine, type SocketCall } from '../setup/files/curl-line.ts'
import { findHookRole, isNamedLine, type HookRole, type Launch } from '../setup/files/launch.ts'
import type { OwnChange } from '../setup/own-lines.ts'
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
  /** How ours reach the daemon by `curl`, each way once. */
  readonly calls: readonly SocketCall[]
  readonly hasOwn: boolean
  /** Whether it holds everything set-up would write now. */
  readonly isCurrent: boolean
  /** What set-up would change about it, line by line; nothing where it is current or cannot be told. */
  readonly changes: readonly OwnChange[]
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

/** How our entries reach the daemon by `curl`, each way once. */
export function callsOf(entries: readonly HookEntry[]): readonly SocketCall[] {
  const found = entries.flatMap(({ role, handler }) => {
    const line = role === undefined ? undefined : lineOf(handler)
    return line === undefined ? [] : (readCurlLine(line) ?? [])
  })
  return found.filter((call, i) => found.findIndex((other) => isSameCall(call, other)) === i)
}

function isSameCall(a: SocketCall, b: SocketCall): boolean {
  return a.curl === b.curl && a.socket === b.socket && a.keyHeader === b.keyHeader
}

/** Whether two ways to start agentd are one. */
export function isSameLaunch(a: Launch, b: Launch): boolean {
  return a.node === b.node && a.script === b.script
}

/** Of `command` and `args`, of one list, or of one line of a shell. */
export function launchOf(entry: Readonly<Record<string, unknown>>): Launch | undefined {
  const { command, args } = entry
  if (typeof command === 'string' && Array.isArray(args)) return pairOf([command, ...textsOf(args)])
  if (Array.isArray(command)) return pairOf(textsOf(command))
  const line = lineOf(entry)
  // By `curl`, which starts nothing of ours; or by its name, which says no path.
  if (line === undefined || readCurlLine(line) !== undefined || isNamedLine(line)) return undefined
  const tokens = readShellWords(line)
  const words = tokens?.flatMap((token) => (token.kind === 'word' ? [token.text] : []))
  // Where there is no `exec`, the line begins with what it starts.
  return words && pairOf(words.slice(words.indexOf('exec') + 1))
}

/** The line of a shell that an entry is; undefined for one that is none. */
function lineOf({ command, bash }: Readonly<Record<string, unknown>>): string | undefined {
  const line = typeof command === 'string' ? command : bash
  return typeof line === 'string' ? line : undefined
}

function pairOf([node, script]: readonly string[]): Launch | undefined {
  return node === undefined || script === undefined ? undefined : { node, script }
}
