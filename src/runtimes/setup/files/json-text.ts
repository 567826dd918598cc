/**
 * JSON as people keep it, with comments and trailing commas, and where in its text everything stands.
 */
import { getNodeValue, parseTree, printParseErrorCode, stripComments } from 'jsonc-parser'
import type { Node, ParseError } from 'jsonc-parser'
import { isStackOverflow } from '../../../core/thrown.ts'
import { HostRefusal } from '../../../host/files/refusal.ts'

/** Keys and indices from the root. */
export type JsonPath = readonly (string | number)[]

/** How the text is laid out; what we add follows it. */
export interface Layout {
  readonly eol: string
  /** One step of indentation. */
  readonly step: string
  /** Whether everything stands on one line. */
  readonly isCompact: boolean
}

/** A text that was understood. */
export interface JsonText {
  readonly text: string
  readonly root: Node
  readonly layout: Layout
}

const DEFAULT_STEP = '  '

/**
 * Reads a text whose root is an object.
 *
 * @param path - the file it is from, for the message
 * @throws HostRefusal with line and column of the first fault
 */
export function readJsonText(text: string, path: string): JsonText {
  const errors: ParseError[] = []
  const root = parseShallow(text, path, errors)
  const [fault] = errors
  if (fault !== undefined) throw jsonFault(text, path, fault.offset, sayFault(fault))
  if (root?.type !== 'object') throw jsonFault(text, path, root?.offset ?? 0, 'an object is expected here')
  return { text, root, layout: layoutOf(text, root) }
}

/** The parser calls itself for each level; a file that leaves it no stack is nobody's settings. */
function parseShallow(text: string, path: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(text, errors, { allowTrailingComma: true })
  } catch (error) {
    if (!isStackOverflow(error)) throw error
    throw jsonFault(text, path, 0, 'it is nested too deeply to be read')
  }
}

/** Whether there is nothing but blanks and comments. */
export function isBlank(text: string): boolean {
  return stripComments(text).trim() === ''
}

/**
 * The value at a path; undefined where there is none.
 *
 * @throws HostRefusal when a key on the way stands twice: programs differ in which of the two they read
 */
export function findNode({ text, root }: JsonText, path: JsonPath, file: string): Node | undefined {
  let node: Node | undefined = root
  for (const segment of path) {
    node = typeof segment === 'number' ? node?.children?.[segment] : findMember(node, segment, { text, file })
    if (node === undefined) return undefined
  }
  return node
}

/** What a node says, as a plain value. */
export function valueOf(node: Node): unknown {
  return getNodeValue(node)
}

/** The end of a node, exclusive. */
export function endOf(node: Node): number {
  return node.offset + node.length
}

/** The blanks that begin the line of `offset`. */
export function indentAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? ''
}

/** Whether nothing but blanks stands before `offset` on its line. */
export function beginsLine(text: string, offset: number): boolean {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  return lineStart > 0 && text.slice(lineStart, offset).trim() === ''
}

/** A refusal that says where in the file the trouble is. */
export function jsonFault(text: string, path: string, offset: number, what: string): HostRefusal {
  const before = text.slice(0, offset).split('\n')
  const column = (before.at(-1)?.length ?? 0) + 1
  return new HostRefusal(`${path} is left alone: line ${before.length}, column ${column}: ${what}.`)
}

function findMember(
  node: Node | undefined,
  key: string,
  { text, file }: { readonly text: string; readonly file: string },
): Node | undefined {
  if (node?.type !== 'object') return undefined
  const found = (node.children ?? []).filter(({ children }) => children?.[0]?.value === key)
  const [first, second] = found
  if (second !== undefined) throw jsonFault(text, file, second.offset, `"${key}" stands here a second time`)
  return first?.children?.[1]
}

function layoutOf(text: string, root: Node): Layout {
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n'
  const first = root.children?.[0]
  const isCompact = first !== undefined && !text.slice(root.offset, first.offset).includes('\n')
  const step = first !== undefined && beginsLine(text, first.offset) ? indentAt(text, first.offset) : ''
  return { eol, step: step === '' ? DEFAULT_STEP : step, isCompact }
}

/** `CommaExpected` → `comma expected` */
function sayFault({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replaceAll(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`)
    .trim()
}
