/**
 * Adding to a JSON text and taking away again, every other byte as it was.
 *
 * Taking away is the exact inverse of adding: a comma that was put behind the last member goes with what was
 * put after it, and a trailing comma stays one.
 */
import { createScanner } from 'jsonc-parser'
import type { Node } from 'jsonc-parser'
import { beginsLine, endOf, indentAt, type JsonText, type Layout } from './json-text.ts'

/** What is added: one item of a list, or one member of an object. */
export interface Addition {
  /** Undefined in a list. */
  readonly key?: string | undefined
  readonly value: unknown
}

/** One cut into a text; the cuts of one edit do not touch. */
interface Cut {
  readonly from: number
  readonly to: number
  readonly content: string
}

/** Puts something last into an object or a list. */
export function addLast({ text, layout }: JsonText, container: Node, addition: Addition): string {
  const last = container.children?.at(-1)
  return last === undefined
    ? fillEmpty({ text, layout }, container, addition)
    : addAfter({ text, layout }, last, addition)
}

/** Puts another value in the place of one. */
export function replaceNode({ text, layout }: JsonText, node: Node, value: unknown): string {
  const content = format({ value }, indentAt(text, node.offset), layout)
  return applyCuts(text, [{ from: node.offset, to: endOf(node), content }])
}

/** Takes an item of a list, or a whole member of an object, away. */
export function removeNode({ text }: Pick<JsonText, 'text'>, node: Node): string {
  const siblings = node.parent?.children ?? []
  const previous = siblings[siblings.indexOf(node) - 1]
  const commaAfter = findComma(text, endOf(node))
  const to = commaAfter === undefined ? endOf(node) : commaAfter + 1
  const cut = { from: startOfGap(text, node, to), to, content: '' }
  // The last one without a comma: the comma before it was put there for it.
  const comma =
    commaAfter === undefined && previous !== undefined ? findComma(text, endOf(previous)) : undefined
  if (comma === undefined) return applyCuts(text, [cut])
  if (comma + 1 >= cut.from) return applyCuts(text, [{ ...cut, from: comma }])
  return applyCuts(text, [{ from: comma, to: comma + 1, content: '' }, cut])
}

/** What stands between the brackets of an empty object or list. */
export function interiorOf(text: string, container: Node): string {
  return text.slice(container.offset + 1, endOf(container) - 1)
}

/** Replaces what stands between the brackets. */
export function withInterior(text: string, container: Node, interior: string): string {
  return applyCuts(text, [{ from: container.offset + 1, to: endOf(container) - 1, content: interior }])
}

function fillEmpty({ text, layout }: Omit<JsonText, 'root'>, container: Node, addition: Addition): string {
  if (layout.isCompact) return withInterior(text, container, format(addition, '', layout))
  const outer = indentAt(text, container.offset)
  const inner = outer + layout.step
  const kept = interiorOf(text, container).trimEnd()
  const content = `${kept}${layout.eol}${inner}${format(addition, inner, layout)}${layout.eol}${outer}`
  return withInterior(text, container, content)
}

function addAfter({ text, layout }: Omit<JsonText, 'root'>, last: Node, addition: Addition): string {
  const end = endOf(last)
  const comma = findComma(text, end)
  const afterComma = comma === undefined ? end : comma + 1
  const isOwnLine = beginsLine(text, last.offset)
  const indent = indentAt(text, last.offset)
  const lead = isOwnLine ? layout.eol + indent : layout.isCompact ? '' : ' '
  // A note behind the last member stays beside it.
  const at = isOwnLine ? endOfLineNote(text, afterComma) : afterComma
  const content = lead + format(addition, indent, isOwnLine ? layout : { ...layout, isCompact: true })
  if (comma !== undefined) return applyCuts(text, [{ from: at, to: at, content: `${content},` }])
  if (at === end) return applyCuts(text, [{ from: end, to: end, content: `,${content}` }])
  return applyCuts(text, [
    { from: end, to: end, content: ',' },
    { from: at, to: at, content },
  ])
}

function format({ key, value }: Addition, indent: string, layout: Layout): string {
  const { isCompact, eol, step } = layout
  const text = isCompact
    ? JSON.stringify(value)
    : JSON.stringify(value, null, step).replaceAll('\n', () => eol + indent)
  return key === undefined ? text : `${JSON.stringify(key)}:${isCompact ? '' : ' '}${text}`
}

/** The comma behind a member, comments in between or not. */
function findComma(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(offset)
  scanner.scan()
  const at = scanner.getTokenOffset()
  return text[at] === ',' ? at : undefined
}

/** Past the comment that ends the line of `offset`, if there is one. */
function endOfLineNote(text: string, offset: number): number {
  const note =
    /^[ \t]*(?:\/\*[^\r\n]*?\*\/[ \t]*)?(?:\/\/[^\r\n]*)?(?=\r?\n|$)/.exec(text.slice(offset))?.[0] ?? ''
  return note.trim() === '' ? offset : offset + note.trimEnd().length
}

/** Where the blanks before a node begin; they go with it, unless they end a `//` comment that must end. */
function startOfGap(text: string, node: Node, to: number): number {
  let start = node.offset
  while (start > 0 && /\s/.test(text[start - 1] ?? '')) start -= 1
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
  return line.includes('//') && !/^[ \t]*\r?\n/.test(text.slice(to)) ? node.offset : start
}

function applyCuts(text: string, cuts: readonly Cut[]): string {
  let result = text
  for (const { from, to, content } of cuts.toReversed())
    result = result.slice(0, from) + content + result.slice(to)
  return result
}
