/**
 * What is said of somebody who is at a file. What another session wrote is quoted and cut, behind a mark that it could not
 * have guessed (HD-18).
 */
import { formatAge, formatAgo } from '../../core/text/durations.ts'
import { quoted } from '../../core/text/quoted.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { holdsUntilMs } from '../../protocol/board/holding.ts'
import type { PlacedEntry, Where } from '../../protocol/board/placed.ts'
import { lineMark } from '../../runtimes/events/line-mark.ts'
import type { LocatedFile } from '../places/edited.ts'

/** Somebody's announcement about a file that is about to be touched. */
export type Conflict = PlacedEntry<LocatedFile>

/** Lines about one event; more are counted. */
const MAX_LINES = 5

/** Lines of fact, from other sessions and not from the person. */
export function linesOf(conflicts: readonly Conflict[], nowMs: number): string {
  const lines = conflicts.slice(-MAX_LINES).map((conflict) => describe(conflict, nowMs))
  if (conflicts.length > MAX_LINES)
    lines.push(`${conflicts.length - MAX_LINES} more such notes are left out.`)
  const mark = lineMark()
  return lines.map((line) => `${mark} ${line}`).join('\n')
}

/** Why an edit is held back, until when, and what may be done about it. */
export function denialOf(conflict: Conflict, how: 'deny' | 'ask-once', nowMs: number): string {
  const { entry, file } = conflict
  const leftMs = Math.max(0, holdsUntilMs(entry) - nowMs)
  const what = entry.leaseId === undefined ? 'announced that it is editing' : 'holds a lease on'
  const head = `${lineMark()} ${quoted(entry.from)} ${what} ${safeLine(file.path)} in this worktree, ${formatAgo(nowMs - entry.sinceMs)}.`
  return how === 'ask-once'
    ? `${head} The person has set agentd to ask once before such an edit: the same call again is let through.`
    : `${head} The person has set agentd to hold such edits back; this ends in ${formatAge(leftMs)}, or earlier when it is released.`
}

function describe({ entry, file, where }: Conflict, nowMs: number): string {
  const what = entry.leaseId === undefined ? 'announced work on' : 'holds a lease on'
  const branch = entry.branch === undefined ? '' : ` (branch ${quoted(entry.branch)})`
  const places: Readonly<Record<Where, string>> = {
    here: `in this worktree${branch}`,
    elsewhere:
      entry.node === undefined
        ? `in another worktree of this repository${entry.worktree === undefined ? '' : `, ${quoted(entry.worktree)}`}${branch}`
        : `in this repository on another machine, ${quoted(entry.node)}${branch}`,
    unknown: 'without saying in which repository',
  }
  const head = where === 'here' ? '' : 'For information: '
  return `${head}${quoted(entry.from)} ${what} ${safeLine(file.path)} ${places[where]}, ${formatAgo(nowMs - entry.sinceMs)}.`
}
