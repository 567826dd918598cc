/**
 * A JSON text that is edited step by step, each step of which reads it anew, and what was made in it on the way.
 */
import type { Node } from 'jsonc-parser'
import { addLast, interiorOf, removeNode, replaceNode, withInterior } from './json-edit.ts'
import { endOf, findNode, isBlank, jsonFault, readJsonText, valueOf } from './json-text.ts'
import type { JsonPath, JsonText } from './json-text.ts'

/** An object, a list or a constant that is there because of us. */
export interface MadePlace {
  readonly path: JsonPath
  /** What stood between its brackets while it was empty; null when it was not there. */
  readonly was: string | null
}

/** The fields by which a runtime starts us; all others are the person's to change. */
const LAUNCH_FIELDS = ['command', 'args', 'bash']

/** The text at one moment; every method leaves one that can be read. */
export class JsonDraft {
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

  /** Brings the fields that start us up to date, and takes away what was beside the command in an earlier form. */
  update(path: JsonPath, desired: Readonly<Record<string, unknown>>): void {
    if (Object.hasOwn(desired, 'command') && !Object.hasOwn(desired, 'args')) this.remove([...path, 'args'])
    for (const field of LAUNCH_FIELDS.filter((name) => Object.hasOwn(desired, name))) {
      const node = this.find([...path, field])
      if (node === undefined) this.add(path, { key: field, value: desired[field] })
      else if (JSON.stringify(valueOf(node)) !== JSON.stringify(desired[field])) {
        this.#read(replaceNode(this.#json, node, desired[field]))
      }
    }
  }

  /** Puts another value where one is. */
  replace(path: JsonPath, value: unknown): void {
    const node = this.find(path)
    if (node !== undefined) this.#read(replaceNode(this.#json, node, value))
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
