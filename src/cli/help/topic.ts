/**
 * A page on something worth knowing besides the commands: short enough for a screen, and data, so that a terminal and the
 * manual show the same.
 */
import { padTo, widthOf, wrapTo } from '../../core/display/width.ts'

/** A part of a page. */
export type Block =
  /** Running text. */
  | { readonly text: string }
  /** What something is called, and what that means. */
  | { readonly rows: readonly (readonly [string, string])[] }
  /** Lines that can be typed. */
  | { readonly example: readonly string[] }

/** One page. */
export interface Topic {
  /** What is written behind `agentd help`. */
  readonly name: string
  /** In a line, as the list of topics shows it. */
  readonly says: string
  readonly blocks: readonly Block[]
}

/** Of a terminal as narrow as they usually are. */
const COLUMNS = 80

const INDENT = '  '

/** Between a term and what it means. */
const GUTTER = '  '

/** Longer terms stand on a line of their own. */
const MOST_TERM = 34

/** The page as text, lines of at most 80 columns. */
export function formatTopic({ name, says, blocks }: Topic): string {
  return [`${name}: ${says}`, ...blocks.map(formatBlock)].join('\n\n')
}

/** Terms and their meanings, one below the other. */
export function formatRows(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([term]) => widthOf(term)).filter((columns) => columns <= MOST_TERM))
  const at = INDENT.length + width + GUTTER.length
  return rows
    .flatMap(([term, means]) => {
      const lines = wrapTo(means, COLUMNS - at)
      const [first = '', ...rest] = widthOf(term) > MOST_TERM ? ['', ...lines] : lines
      const head = `${INDENT}${padTo(term, width)}${GUTTER}${first}`.trimEnd()
      return [head, ...rest.map((line) => `${' '.repeat(at)}${line}`)]
    })
    .join('\n')
}

function formatBlock(block: Block): string {
  if ('text' in block) return wrapTo(block.text, COLUMNS).join('\n')
  if ('rows' in block) return formatRows(block.rows)
  return block.example.map((line) => `${INDENT}${line}`).join('\n')
}
