/**
 * A workflow for people: a tree of who asked whom for what, and how long each hop took.
 */
import { formatDuration } from '../../core/text/durations.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { notesOf, spokenNote } from '../../aee/thread/hop-notes.ts'
import type { Hop } from '../../aee/thread/hops.ts'
import { formatTable, GUTTER, LEAST_COLUMNS, type TableView } from '../terminal/table.ts'
import { widthOf } from '../../core/display/width.ts'

/** Levels that are indented; a deeper one says how deep it is. */
const MAX_INDENT = 16

const MAX_WHAT_COLUMNS = 48
const MAX_WHO_COLUMNS = 32

/** What either of the two keeps of a narrow terminal. */
const MIN_COLUMNS = 8

/** How much of the two is the first one's where both need more. */
const WHAT_SHARE = 0.5

const TITLES = ['ENVELOPE', 'WHO', 'AFTER', 'NOTES'] as const

/** One row per envelope. */
export function formatHops(hops: readonly Hop[], { paint, columns }: TableView): string {
  const branches = drawBranches(hops)
  const rows = hops.map((hop, index) => {
    const { type, intent, from, to } = hop.item.envelope
    return [
      `${branches[index] ?? ''}${safeLine(`${type} ${intent}`)}`,
      `${safeLine(from)} → ${safeLine(to)}`,
      hop.afterMs === null ? '' : `+${formatDuration(hop.afterMs)}`,
      safeLine(notesOf(hop).map(spokenNote).join(', ')),
    ]
  })
  const most = shareColumns(rows, columns)
  const heads = [
    { title: TITLES[0], most: most.what },
    { title: TITLES[1], most: most.who, paint: paint.cyan },
    { title: TITLES[2] },
    { title: TITLES[3] },
  ]
  return formatTable(heads, rows, { paint, columns })
}

/** What stands before each row: a line down to every sibling that is still to come. */
function drawBranches(hops: readonly Hop[]): readonly string[] {
  const branches: string[] = []
  /** By depth: whether a sibling follows below; kept only as deep as the row that is drawn. */
  const follows: boolean[] = []
  for (const { depth } of hops.toReversed()) {
    const hasNext = follows[depth] === true
    branches.push(depth === 0 ? '' : drawBranch(depth, hasNext, follows))
    follows[depth] = true
    follows.length = depth + 1
  }
  return branches.toReversed()
}

function drawBranch(depth: number, hasNext: boolean, follows: readonly boolean[]): string {
  const levels = Math.min(depth, MAX_INDENT) - 1
  const lines = Array.from({ length: levels }, (_, level) => (follows[level + 1] === true ? '│ ' : '  '))
  return `${lines.join('')}${hasNext ? '├' : '└'} ${depth > MAX_INDENT ? `[${depth}] ` : ''}`
}

/**
 * So much for the first two columns that a row fits the terminal, which would else break it within a word: what
 * one of them does not need, the other has.
 */
function shareColumns(
  rows: readonly (readonly string[])[],
  columns: number | undefined,
): { readonly what: number; readonly who: number } {
  const need = (at: number, least = 0): number =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), least)
  const what = Math.min(MAX_WHAT_COLUMNS, need(0, TITLES[0].length))
  const who = Math.min(MAX_WHO_COLUMNS, need(1, TITLES[1].length))
  if (columns === undefined) return { what, who }
  const notes = Math.min(LEAST_COLUMNS, need(3, TITLES[3].length))
  const left = columns - need(2, TITLES[2].length) - notes - (TITLES.length - 1) * GUTTER.length
  if (what + who <= left) return { what, who }
  const share = Math.max(MIN_COLUMNS, Math.floor(left * WHAT_SHARE), left - who)
  const given = Math.min(what, share)
  return { what: given, who: Math.max(MIN_COLUMNS, left - given) }
}
