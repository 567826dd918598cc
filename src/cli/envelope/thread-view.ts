/**
 * A workflow for people: a tree of who asked whom for what, and how long each hop took.
 */
import { formatSpan } from '../../core/text/durations.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { formatCount } from '../../core/text/counts.ts'
import { formatMarks } from '../items/envelope-line.ts'
import type { Hop } from './hops.ts'
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

/** What is longer than this between two clocks, or on the way to the daemon, is worth a note. */
const NOTABLE_MS = 1_000

/** One row per envelope. */
export function formatHops(hops: readonly Hop[], { paint, columns }: TableView): string {
  const branches = drawBranches(hops)
  const rows = hops.map((hop, index) => {
    const { type, intent, from, to } = hop.item.envelope
    return [
      `${branches[index] ?? ''}${safeLine(`${type} ${intent}`)}`,
      `${safeLine(from)} → ${safeLine(to)}`,
      hop.afterMs === null ? '' : `+${formatDuration(hop.afterMs)}`,
      safeLine(notesOf(hop).join(', ')),
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

/** `5 envelopes, 1 task open, 3.4s from first to last` */
export function formatThreadSummary(hops: readonly Hop[]): string {
  const open = hops.filter(({ isOpen }) => isOpen).length
  const times = hops.map(({ item }) => Date.parse(item.acceptedAt)).filter((ms) => !Number.isNaN(ms))
  const lastMs = times.reduce((most, ms) => Math.max(most, ms), -Infinity)
  const firstMs = times.reduce((least, ms) => Math.min(least, ms), Infinity)
  return [
    formatCount(hops.length, 'envelope'),
    open === 0 ? 'no task open' : `${formatCount(open, 'task')} open`,
    ...(times.length > 1 ? [`${formatDuration(lastMs - firstMs)} from first to last`] : []),
  ].join(', ')
}

/** `12ms`, `3.4s`, and from a minute on as {@link formatSpan}; a clock that stepped makes it negative. */
export function formatDuration(ms: number): string {
  const size = Math.abs(ms)
  const sign = ms < 0 ? '-' : ''
  if (size < 1_000) return `${sign}${Math.round(size)}ms`
  if (size < 60_000) return `${sign}${(size / 1_000).toFixed(1)}s`
  return `${sign}${formatSpan(size)}`
}

/** What sets a hop apart, not yet safe to print. */
export function notesOf(hop: Hop): readonly string[] {
  const { item, isOpen } = hop
  const { type, payload } = item.envelope
  const { code } = payload
  const failure = type !== 'error' ? [] : [typeof code === 'string' ? code : 'error']
  const times = formatTimes(hop)
  const refuted = item.refuted.map(({ by, reason }) => `refuted by ${by}: ${reason}`)
  // The counts are of the moment it was accepted; whoever came back later may have read it.
  const wasUnheard = type === 'task' && !hop.isAnswered && item.recipientCount + item.queuedCount === 0
  const unheard = wasUnheard ? ['nobody was listening'] : []
  return [...(isOpen ? ['open'] : []), ...failure, ...formatMarks(item), ...times, ...unheard, ...refuted]
}

/**
 * Where the clocks of the senders tell another story than the daemon's, told once: not again of what was as long
 * on its way as the one it answers, and by its `ts` only where the way does not explain it.
 */
function formatTimes({ afterMs, afterBySendersMs, onItsWayMs }: Hop): readonly string[] {
  const isTimed = afterMs !== null && afterBySendersMs !== null
  if (isTimed && Math.abs(afterMs - afterBySendersMs) < NOTABLE_MS) return []
  if (onItsWayMs !== null && onItsWayMs >= NOTABLE_MS) return [`${formatDuration(onItsWayMs)} on its way`]
  return isTimed ? [`+${formatDuration(afterBySendersMs)} by its ts`] : []
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
