/**
 * Our entries in a runtime's JSON file: put there, brought up to date, taken out again.
 *
 * Entries of others are never touched, and ours come last, since some runtimes count by position.
 *
 * @see docs/runtimes.md §§1.4, 2.1, 3, 4, 5; §10 rule 7
 */
import type { Node } from 'jsonc-parser'
import { HostRefusal } from '../../../host/files/refusal.ts'
import { addLast, interiorOf, removeNode, replaceNode, withInterior } from './json-edit.ts'
import {
  endOf,
  findNode,
  isBlank,
  jsonFault,
  readJsonText,
  valueOf,
  type JsonPath,
  type JsonText,
} from './json-text.ts'
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
    }
  | { readonly kind: 'server'; readonly list: string; readonly server: Readonly<Record<string, unknown>> }
  /** Written where it is missing, such as a version the format asks for. */
  | { readonly kind: 'constant'; readonly key: string; readonly value: string | number }

/** An object, a list or a constant that is there because of us. */
export interface MadePlace {
  readonly path: JsonPath
  /** What stood between its brackets while it was empty; null when it was not there. */
  readonly was: string | null
}

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

/** The fields by which a runtime starts us; all others are the person's to change. */
const LAUNCH_FIELDS = ['command', 'args', 'bash']

/** Lists of servers, in all runtimes. */
const SERVER_LISTS = ['mcpServers', 'servers', 'mcp']

/** Events times handlers; more means that something puts back what we take away. */
const MAX_REMOVALS = 1_000

/** Adds what is missing and brings up to date what is old. @throws HostRefusal for a text that is not understood */
export function mergeJson(text: string, entries: readonly JsonEntry[], owner: JsonOwner): MergedJson {
  const draft = new JsonDraft(text, owner.path)
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
    if (count === MAX_REMOVALS)
      throw new HostRefusal(`${owner.path} is left alone: too many entries of ours.`)
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

function placeHook(draft: JsonDraft, entry: JsonEntry & { kind: 'hook' }, owner: JsonOwner): void {
  const at = findHook(draft, entry, owner)
  if (at !== undefined) return draft.update(at, entry.handler)
  const value = entry.group === undefined ? entry.handler : { ...entry.group, hooks: [entry.handler] }
  draft.add(['hooks', entry.event], { value })
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
  { hookName }: JsonOwner,
): JsonPath | undefined {
  const isOurs = (node: Node): boolean => findHookRole(valueOf(node), hookName) === role
  return draft.handlers(event).find((path) => {
    const node = draft.find(path)
    return node !== undefined && isOurs(node)
  })
}

/** The largest thing that is ours alone: a group before its handler. */
function findOwn(draft: JsonDraft, { hookName }: JsonOwner): JsonPath | undefined {
  const list = SERVER_LISTS.find((name) => {
    const node = draft.find([name, SERVER_NAME])
    return node !== undefined && isOwnServer(valueOf(node))
  })
  if (list !== undefined) return [list, SERVER_NAME]
  for (const event of draft.keys(['hooks'])) {
    const own = draft.handlers(event).find((path) => {
      const node = draft.find(path)
      return node !== undefined && findHookRole(valueOf(node), hookName) !== undefined
    })
    if (own !== undefined) return draft.isAlone(own) ? own.slice(0, 3) : own
  }
  return undefined
}

/** A text that is edited step by step; each step reads it anew. */
class JsonDraft {
  readonly path: string
  readonly made: MadePlace[] = []
  #json: JsonText

  constructor(text: string, path: string) {
    this.path = path
    if (isBlank(text)) {
      // A comment that is all there is stays, above what is written.
      const eol = /\r?\n/.exec(text)?.[0] ?? '\n'
      const lead = text === '' || text.endsWith('\n') ? text : text + eol
      this.#json = readJsonText(`${lead}{}${eol}`, path)
      this.made.push({ path: [], was: null })
    } else this.#json = readJsonText(text, path)
  }

  get text(): string {
    return this.#json.text
  }

  find(path: JsonPath): Node | undefined {
    return findNode(this.#json, path, this.path)
  }

  keys(path: JsonPath): readonly string[] {
    const node = this.find(path)
    if (node?.type !== 'object') return []
    return (node.children ?? []).map(({ children }) => String(children?.[0]?.value))
  }

  /** Every handler of an event, those in groups too. */
  handlers(event: string): readonly JsonPath[] {
    const items = this.find(['hooks', event])?.children ?? []
    return items.flatMap((item, index) => {
      const path = ['hooks', event, index]
      const grouped = item.type === 'object' ? this.find([...path, 'hooks']) : undefined
      if (grouped?.type !== 'array') return [path]
      return (grouped.children ?? []).map((_, inner) => [...path, 'hooks', inner])
    })
  }

  /** Whether a handler is all its group holds. */
  isAlone(handler: JsonPath): boolean {
    return this.find(handler.slice(0, -1))?.children?.length === 1
  }

  /** Adds to the object or list at `path`, which is made with what leads to it. */
  add(path: JsonPath, addition: { readonly key?: string; readonly value: unknown }): void {
    const container = this.find(path)
    const desired = addition.key === undefined ? 'array' : 'object'
    const [name] = path.slice(-1)
    if (container === undefined && typeof name === 'string') {
      this.#note(path, null)
      const value = addition.key === undefined ? [addition.value] : { [addition.key]: addition.value }
      this.add(path.slice(0, -1), { key: name, value })
    } else if (container?.type !== desired) {
      const what = `${desired === 'array' ? 'a list' : 'an object'} is expected here`
      throw jsonFault(this.text, this.path, container?.offset ?? 0, what)
    } else {
      if (container.children?.length === 0) this.#note(path, interiorOf(this.text, container))
      if (addition.key !== undefined && path.length === 0) this.#noteConstant(addition)
      this.#read(addLast(this.#json, container, addition))
    }
  }

  /** Brings the fields that start us up to date. */
  update(path: JsonPath, desired: Readonly<Record<string, unknown>>): void {
    for (const field of LAUNCH_FIELDS.filter((name) => Object.hasOwn(desired, name))) {
      const node = this.find([...path, field])
      if (node === undefined) this.add(path, { key: field, value: desired[field] })
      else if (JSON.stringify(valueOf(node)) !== JSON.stringify(desired[field])) {
        this.#read(replaceNode(this.#json, node, desired[field]))
      }
    }
  }

  remove(path: JsonPath): void {
    const node = this.find(path)
    const whole = node?.parent?.type === 'property' ? node.parent : node
    if (whole !== undefined) this.#read(removeNode(this.#json, whole))
  }

  /** Takes away what was made, if nobody else has come to use it. */
  unmake({ path, was }: MadePlace): void {
    const node = this.find(path)
    if (node === undefined) return
    const isContainer = node.type === 'object' || node.type === 'array'
    // A constant is of use to whatever else the file holds by now.
    if (!isContainer && this.#json.root.children?.length !== 1) return
    if (isContainer && (node.children?.length !== 0 || !this.#isUntouched(node, was))) return
    if (was !== null) this.#read(withInterior(this.text, node, was))
    else if (path.length > 0) this.remove(path)
  }

  /** What was there before there was an object, where nobody has put anything into it. */
  textWithoutRoot(): string {
    const { text, root } = this.#json
    if (root.children?.length !== 0 || interiorOf(text, root).trim() !== '') return text
    return text.slice(0, root.offset) + text.slice(endOf(root)).replace(/^\r?\n/, '')
  }

  /** Comments that came into an emptied place are somebody's. */
  #isUntouched(node: Node, was: string | null): boolean {
    return interiorOf(this.text, node).trim() === (was ?? '').trim()
  }

  #note(path: JsonPath, was: string | null): void {
    if (!this.made.some((place) => place.path.join('\n') === path.join('\n'))) this.made.push({ path, was })
  }

  #noteConstant({ key, value }: { readonly key?: string; readonly value: unknown }): void {
    if (key !== undefined && !(value instanceof Object)) this.#note([key], null)
  }

  #read(text: string): void {
    this.#json = readJsonText(text, this.path)
  }
}
