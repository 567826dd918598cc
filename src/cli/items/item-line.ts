/**
 * The layout of one item in `tail`, `inbox` and `serve`: when, who, what kind, what it says.
 *
 * Every string of an item is somebody else's; nothing is printed that `safe-text.ts` has not seen.
 */
import { formatAge, formatClock } from '../../core/text/durations.ts'
import { safeBlock, safeLine } from '../../core/text/safe-text.ts'
import { PLAIN, type Palette } from '../../core/display/palette.ts'
import { cutTo, padTo, widthOf, wrapTo } from '../../core/display/width.ts'

/** How items are shown. */
export interface ItemView {
  readonly paint: Palette
  /** Undefined where nothing is to be cut or wrapped. */
  readonly columns: number | undefined
  /** Wrap what does not fit instead of cutting it. */
  readonly full: boolean
  /** Whose daemon it is: its own handle goes without saying. */
  readonly principal: string
  readonly nowMs: number
  /** Let frames that are older than they are good for stand back; of what is past, all would. */
  readonly dimsStale?: boolean
}

/** One item, not yet safe to print. */
export interface ItemLine {
  /** RFC 3339, as its author has it. */
  readonly at: string
  readonly who: string
  readonly label: string
  readonly colour: keyof Palette
  /** On one line, where nobody looks at a terminal. */
  readonly summary: string
  /** On a terminal. */
  readonly text: string
  /** Whether it is older than it is good for: it is shown, and stands back. */
  readonly isStale?: boolean
  /** What stands below it on a terminal, where it is never cut off. */
  readonly hint?: string | undefined
}

/** An item younger than this is news; an older one says how old it is. */
const NEWS_MS = 5_000

/** Names as long as most are; a longer one is cut on a terminal. */
const WHO_COLUMNS = 14
const MAX_WHO_COLUMNS = 24
const LABEL_COLUMNS = 12

/** Text on a terminal narrower than the rest of the line. */
const LEAST_TEXT_COLUMNS = 20

/** One line, or with `full` as many as it takes. */
export function formatItem(item: ItemLine, view: ItemView): string {
  if (item.isStale !== true) return formatPainted(item, view)
  const plain = formatPainted(item, { ...view, paint: PLAIN })
  return plain.split('\n').map(view.paint.dim).join('\n')
}

function formatPainted(item: ItemLine, view: ItemView): string {
  const { columns, paint } = view
  const time = formatClock(Date.parse(item.at))
  const safeWho = safeLine(item.who)
  const who = columns === undefined ? safeWho : cutTo(safeWho, MAX_WHO_COLUMNS)
  const label = safeLine(item.label)
  const head = `${paint.dim(time)} ${padTo(who, WHO_COLUMNS)} ${paint[item.colour](padTo(label, LABEL_COLUMNS))} `
  const headColumns =
    time.length + Math.max(widthOf(who), WHO_COLUMNS) + Math.max(widthOf(label), LABEL_COLUMNS) + 3
  const age = formatOldAge(item.at, view.nowMs)
  if (columns === undefined) return `${head}${safeLine(item.summary)}${age}`
  const room = Math.max(LEAST_TEXT_COLUMNS, columns - headColumns)
  const lines = view.full
    ? wrapTo(`${safeBlock(item.text)}${age}`, room)
    : [`${cutTo(safeLine(item.text), room - age.length)}${paint.dim(age)}`]
  const below =
    item.hint === undefined ? [] : [paint.dim(`${' '.repeat(time.length)} ${safeLine(item.hint)}`)]
  return [head + lines.join(`\n${' '.repeat(headColumns)}`), ...below].join('\n')
}

function formatOldAge(timestamp: string, nowMs: number): string {
  const ageMs = nowMs - Date.parse(timestamp)
  return ageMs >= NEWS_MS ? ` (${formatAge(ageMs)} ago)` : ''
}
