/**
 * A workflow for people: a tree of who asked whom for what, and how long each hop took.
 */
import { safeLine } from '../protocol/safe-text.ts'
import { formatCount } from './counts.ts'
import { formatMarks } from './envelope-line.ts'
import type { Hop } from './hops.ts'
import type { Output } from './output.ts'
import { formatSpan } from './quantities.ts'
import { formatTable } from './table.ts'

/** Levels that are indented; a deeper one says how deep it is. */
const MAX_INDENT = 16

const MAX_WHAT_COLUMNS = 48
const MAX_WHO_COLUMNS = 32

/** What is longer than this between two clocks, or on the way to the daemon, is worth a note. */
const NOTABLE_MS = 1_000

/** One row per envelope. */
export function formatHops(hops: readonly Hop[], { paint, columns }: Output): string {
  const rows = hops.map((hop) => {
    const { type, intent, from, to } = hop.item.envelope
    return [
      `${formatIndent(hop.depth)}${safeLine(`${type} ${intent}`)}`,
      `${safeLine(from)} → ${safeLine(to)}`,
      hop.afterMs === null ? '' : `+${formatDuration(hop.afterMs)}`,
      safeLine(notesOf(hop).join(', ')),
    ]
  })
  const heads = [
    { title: 'ENVELOPE', most: MAX_WHAT_COLUMNS },
    { title: 'WHO', most: MAX_WHO_COLUMNS, paint: paint.cyan },
    { title: 'AFTER' },
    { title: 'NOTES' },
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
  const unheard = item.recipientCount + item.queuedCount === 0 ? ['nobody got it'] : []
  return [...(isOpen ? ['open'] : []), ...failure, ...formatMarks(item), ...times, ...unheard, ...refuted]
}

/** Where the clocks of the senders tell another story than the daemon's. */
function formatTimes({ afterMs, afterBySendersMs, onItsWayMs }: Hop): readonly string[] {
  const isLong = onItsWayMs !== null && onItsWayMs >= NOTABLE_MS
  const way = isLong ? [`${formatDuration(onItsWayMs)} on its way`] : []
  if (afterMs === null || afterBySendersMs === null) return way
  const differs = Math.abs(afterMs - afterBySendersMs) >= NOTABLE_MS
  return differs ? [...way, `+${formatDuration(afterBySendersMs)} by its ts`] : way
}

function formatIndent(depth: number): string {
  if (depth === 0) return ''
  if (depth <= MAX_INDENT) return `${'  '.repeat(depth - 1)}└ `
  return `${'  '.repeat(MAX_INDENT - 1)}└ [${depth}] `
}
