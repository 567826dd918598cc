/**
 * Our entries in a runtime's JSON file: put there, brought up to date, taken out again.
 *
 * Entries of others are never touched, and ours come last, since some runtimes count by position.
 *
 * @see docs/runtimes.md §§1.4, 2.1, 3, 4, 5; §10 rule 7
 */
import { HostRefusal } from '../../../host/files/refusal.ts'
import { JsonDraft, type MadePlace } from './json-draft.ts'
import { isBlank, jsonFault, valueOf, type JsonPath } from './json-text.ts'
import { findHookRole, isOwnServer, type HookRole } from './launch.ts'

/** The name of our server in every runtime's list. */
export const SERVER_NAME = 'agentd'

/** One thing a file is to hold. */
export type JsonEntry =
  | {
      readonly kind: 'hook'
      readonly event: string
      readonly role: HookRole
      readonly handler: Readonly<Record<string, unknown>>
      /** What stands beside `hooks` in the group; undefined where handlers stand in the event's list itself. */
      readonly group: Readonly<Record<string, unknown>> | undefined
      /** Matchers of the group that earlier versions wrote, and that are brought up to date. */
      readonly formerMatchers?: readonly string[]
    }
  | { readonly kind: 'server'; readonly list: string; readonly server: Readonly<Record<string, unknown>> }
  /** Written where it is missing, such as a version the format asks for. */
  | { readonly kind: 'constant'; readonly key: string; readonly value: string | number }

/** A text with our entries, and what has to go with them. */
export interface MergedJson {
  readonly text: string
  readonly made: readonly MadePlace[]
}

/** Whose entries, and in which file. */
export interface JsonOwner {
  /** The name behind `hook`, such as `claude-code`. */
  readonly hookName: string
  /** The file, for messages. */
  readonly path: string
}

/** Lists of servers, in all runtimes. */
const SERVER_LISTS = ['mcpServers', 'servers', 'mcp']

/** Events times handlers; more means that something puts back what we take away. */
const MAX_REMOVALS = 1_000

/**
 * Adds what is missing, brings up to date what is old, and takes out hooks that are set up no more.
 *
 * @param made - what an earlier set-up has made for its entries
 * @throws HostRefusal for a text that is not understood
 */
export function mergeJson(
  text: string,
  entries: readonly JsonEntry[],
  owner: JsonOwner,
  made: readonly MadePlace[] = [],
): MergedJson {
  const draft = new JsonDraft(text, owner.path)
  const hooks = entries.filter((entry) => entry.kind === 'hook')
  // Where no hooks are asked for, those that are there are none of this set-up's business.
  if (hooks.length > 0) retireHooks(draft, hooks, owner, made)
  for (const entry of entries) {
    if (entry.kind === 'hook') placeHook(draft, entry, owner)
    else if (entry.kind === 'server') placeServer(draft, entry)
    else if (draft.find([entry.key]) === undefined) draft.add([], { key: entry.key, value: entry.value })
  }
  return { text: draft.text, made: draft.made }
}

/** Takes our entries out, and what was made for them where nothing else has come to be in it. */
export function stripJson(text: string, made: readonly MadePlace[], owner: JsonOwner): string {
  if (isBlank(text)) return text
  const draft = new JsonDraft(text, owner.path)
  for (let count = 0; ; count += 1) {
    const own = findOwn(draft, owner)
    if (own === undefined) break
    if (count === MAX_REMOVALS) throw tooMany(owner)
    draft.remove(own)
  }
  // Nothing of ours was in it, so nothing stands there for our sake.
  if (draft.text === text) return text
  const inner = made.toSorted((a, b) => b.path.length - a.path.length)
  // Twice: a constant goes once it is alone.
  for (const place of [...inner, ...inner]) draft.unmake(place)
  return made.some(({ path, was }) => path.length === 0 && was === null)
    ? draft.textWithoutRoot()
    : draft.text
}

/** An event that is not listened to any more would start a process for nothing. */
function retireHooks(
  draft: JsonDraft,
  hooks: readonly (JsonEntry & { kind: 'hook' })[],
  owner: JsonOwner,
  made: readonly MadePlace[],
): void {
  const isRetired = ({ event, role }: OwnHook): boolean =>
    !hooks.some((hook) => hook.event === event && hook.role === role)
  for (let count = 0; ; count += 1) {
    const retired = findOwnHooks(draft, owner).find(isRetired)
    if (retired === undefined) return
    if (count === MAX_REMOVALS) throw tooMany(owner)
    draft.remove(retired.largest)
    for (const place of made)
      if (place.path[0] === 'hooks' && place.path[1] === retired.event) draft.unmake(place)
  }
}

function placeHook(draft: JsonDraft, entry: JsonEntry & { kind: 'hook' }, owner: JsonOwner): void {
  const at = findHook(draft, entry, owner)
  if (at !== undefined) {
    draft.update(at, entry.handler)
    return updateMatcher(draft, at, entry)
  }
  const value = entry.group === undefined ? entry.handler : { ...entry.group, hooks: [entry.handler] }
  draft.add(['hooks', entry.event], { value })
}

/** A matcher that we wrote is brought up to date; one that the person has changed, or shares with others, is theirs. */
function updateMatcher(
  draft: JsonDraft,
  handler: JsonPath,
  { group, formerMatchers = [] }: JsonEntry & { kind: 'hook' },
): void {
  if (group === undefined || !draft.isAlone(handler)) return
  const matcher = [...handler.slice(0, 3), 'matcher']
  const node = draft.find(matcher)
  if (node === undefined || !formerMatchers.includes(String(valueOf(node)))) return
  if (group['matcher'] === undefined) draft.remove(matcher)
  else draft.replace(matcher, group['matcher'])
}

function placeServer(draft: JsonDraft, { list, server }: JsonEntry & { kind: 'server' }): void {
  const found = draft.find([list, SERVER_NAME])
  if (found === undefined) return draft.add([list], { key: SERVER_NAME, value: server })
  if (isOwnServer(valueOf(found))) return draft.update([list, SERVER_NAME], server)
  throw jsonFault(draft.text, draft.path, found.offset, 'a server of this name is there, and it is not ours')
}

/** Where our handler of an event is, in a group or not. */
function findHook(
  draft: JsonDraft,
  { event, role }: JsonEntry & { kind: 'hook' },
  owner: JsonOwner,
): JsonPath | undefined {
  return findOwnHooks(draft, owner, [event]).find((hook) => hook.role === role)?.path
}

/** One handler of ours. */
interface OwnHook {
  readonly event: string
  readonly role: HookRole
  readonly path: JsonPath
  /** The largest thing that is ours alone: a group before its handler. */
  readonly largest: JsonPath
}

/** Every handler of ours, in the order of the file. @param events - those that are looked at; all by default */
export function findOwnHooks(
  draft: JsonDraft,
  { hookName }: JsonOwner,
  events: readonly string[] = draft.keys(['hooks']),
): readonly OwnHook[] {
  return events.flatMap((event) =>
    draft.handlers(event).flatMap((path): OwnHook[] => {
      const node = draft.find(path)
      const role = node && findHookRole(valueOf(node), hookName)
      if (role === undefined) return []
      return [{ event, role, path, largest: draft.isAlone(path) ? path.slice(0, 3) : path }]
    }),
  )
}

/** Where a server of ours is; undefined where there is none. */
export function findOwnServer(draft: JsonDraft): JsonPath | undefined {
  const list = SERVER_LISTS.find((name) => {
    const node = draft.find([name, SERVER_NAME])
    return node !== undefined && isOwnServer(valueOf(node))
  })
  return list === undefined ? undefined : [list, SERVER_NAME]
}

function findOwn(draft: JsonDraft, owner: JsonOwner): JsonPath | undefined {
  return findOwnServer(draft) ?? findOwnHooks(draft, owner)[0]?.largest
}

function tooMany({ path }: JsonOwner): HostRefusal {
  return new HostRefusal(`${path} is left alone: too many entries of ours.`)
}
