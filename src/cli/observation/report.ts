/**
 * What a look found, in lines: what was told and what was seen apart from each other, and last what was not seen.
 */
import { formatAge, formatAgo } from '../../core/text/durations.ts'
import { quoted } from '../../core/text/quoted.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import type { Palette } from '../../core/display/palette.ts'
import { cutStartTo, wrapTo } from '../../core/display/width.ts'
import type { RosterSession } from '../../client/index.ts'
import { callSession } from '../run/session-names.ts'
import { formatTable, type TableColumn } from '../terminal/table.ts'
import type { AnnouncedFile } from './announced.ts'
import type { Observation, SeenWorktree } from './look.ts'
import type { SeenProcess } from './seen-processes.ts'

/** For whom it is shown. */
export interface ReportView {
  readonly paint: Palette
  /** Undefined where nothing is to be cut. */
  readonly columns: number | undefined
  readonly nowMs: number
  /** The user who asks. */
  readonly uid: number
}

/** Lines of one table; more are counted, and programs have all of them. */
export const MAX_LINES = 12

/** What a path and a branch take at the most on a terminal: of a path the end counts. */
const MAX_PLACE_COLUMNS = 26
const MAX_BRANCH_COLUMNS = 16

/** Everything stands this far behind its heading. */
const INDENT = '  '

/** The whole report. */
export function formatObservation(seen: Observation, view: ReportView): string {
  const sections = [
    repositorySection(seen, view),
    section('Sessions, as they told the daemon', sessionLines(seen, view), view),
    section('Processes, as the machine shows them', processLines(seen, view), view),
    ...(seen.worktrees.length === 0
      ? []
      : [section('Not committed, the newest first', changeLines(seen, view), view)]),
    ...(seen.unseen.length === 0 ? [] : [section('Not seen', unseenLines(seen, view), view)]),
  ]
  return sections.join('\n')
}

function section(title: string, lines: readonly string[], { paint }: ReportView): string {
  return [paint.bold(title), ...lines.map((line) => `${INDENT}${line}`)].join('\n')
}

function table(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  view: ReportView,
): readonly string[] {
  const { paint, columns: width } = view
  const shown = rows.slice(0, MAX_LINES)
  const lines = formatTable(columns, shown, { paint, columns: width && width - INDENT.length }).split('\n')
  return rows.length > shown.length
    ? [...lines, paint.dim(`${rows.length - shown.length} more: --json`)]
    : lines
}

function repositorySection(seen: Observation, view: ReportView): string {
  const { repository, ownerUid, path, worktrees } = seen
  if (repository === undefined) return section(`No repository at ${safeLine(path)}`, [], view)
  const columns = [
    { title: 'WORKTREE' },
    { title: 'BRANCH', most: MAX_BRANCH_COLUMNS },
    { title: 'COMMIT' },
    { title: 'HEAD MOVED' },
  ]
  const rows = worktrees.map((worktree) => [
    placeOf(worktree.path ?? (worktree.isBare ? '(bare)' : '(unknown)'), view),
    worktree.branch === undefined
      ? worktree.commit === undefined
        ? '?'
        : '(detached)'
      : safeLine(worktree.branch),
    worktree.commit?.slice(0, SHORT_SHA) ?? (worktree.branch === undefined ? '?' : '(none)'),
    moveOf(worktree, seen, view),
  ])
  const foreign = ownerUid === view.uid ? [] : [`It belongs to another user, uid ${ownerUid}.`]
  const notes = [...foreign, ...worktrees.flatMap((worktree) => notesOn(worktree, view))]
  return section(
    `Worktrees of ${safeLine(repository)}`,
    [...table(columns, rows, view), ...notes.flatMap((note) => wrapped(note, view))],
    view,
  )
}

/** What of a commit's id stands in a line. */
const SHORT_SHA = 7

/** Who asked git for it is nowhere written; a hook of git may have told of the commit. */
function moveOf({ moved, saidBy }: SeenWorktree, seen: Observation, { nowMs }: ReportView): string {
  if (moved === undefined) return ''
  const who = saidBy === undefined ? '' : `, told by ${nameOf(saidBy, seen.sessions)}`
  const what = moved.what === '' ? '' : `, ${quoted(moved.what)}`
  return `${formatAgo(nowMs - moved.atMs)}${who}${what}`
}

function notesOn(worktree: SeenWorktree, { nowMs }: ReportView): readonly string[] {
  const { indexLock, isGone, locked, path, gitDir } = worktree
  const where = safeLine(path ?? gitDir)
  const notes: string[] = []
  if (indexLock !== undefined) {
    const age = formatAgo(nowMs - indexLock.sinceMs)
    notes.push(`index.lock of ${where}, made ${age}; ${holdersOf(worktree)}`)
  }
  if (isGone) notes.push(`${where} is gone; "git worktree prune" forgets it`)
  if (locked !== undefined)
    notes.push(`${where} is locked against pruning${locked === '' ? '' : `: ${quoted(locked)}`}`)
  return notes
}

function holdersOf({ holders }: SeenWorktree): string {
  if (holders === undefined) return 'who has it open is not shown here'
  if (holders.length === 0) return 'no process of yours has it open'
  return `open in ${holders.map(({ name, pid }) => `${safeLine(name)} (${pid})`).join(', ')}`
}

function sessionLines({ sessions, repository }: Observation, view: ReportView): readonly string[] {
  if (sessions === undefined) return ['No daemon runs, so no session is known.']
  if (sessions.length === 0)
    return [`None of them works ${repository === undefined ? 'here' : 'in this repository'}.`]
  const columns = [
    { title: 'NAME', paint: view.paint.cyan },
    { title: 'TOOL' },
    { title: 'SEEN' },
    { title: 'PROCESS' },
    { title: 'WORKS IN' },
  ]
  const rows = sessions.map((session) => [
    callSession(session),
    safeLine(session.tool),
    formatAgo(view.nowMs - Date.parse(session.lastSeenAt)),
    session.pid ? `${session.pid}` : '',
    [
      placeOf(session.cwd ?? session.worktree ?? '?', view),
      session.branch === null ? '' : `on ${safeLine(session.branch)}`,
    ]
      .filter((text) => text !== '')
      .join(' '),
  ])
  return table(columns, rows, view)
}

function processLines({ processes, sessions }: Observation, view: ReportView): readonly string[] {
  const { listed, others } = processes
  const rest =
    others === 0
      ? []
      : [others === 1 ? 'One other process works here.' : `${others} other processes work here.`]
  if (listed.length === 0) return ['No agent and no git works here.', ...rest]
  const columns = [
    { title: 'PID' },
    { title: 'PROGRAM', most: 16 },
    { title: 'FOR' },
    { title: 'SESSION', paint: view.paint.cyan },
    { title: 'WORKS IN' },
  ]
  const rows = listed.map((one) => [
    `${one.pid}`,
    safeLine(one.program),
    one.startedMs === undefined ? '' : formatAge(view.nowMs - one.startedMs),
    sessionOf(one, sessions),
    placeOf(one.cwd, view),
  ])
  return [...table(columns, rows, view), ...rest]
}

/** A program of another name need not be anybody's; an agent that is nobody's says nothing. */
function sessionOf({ runtime, session }: SeenProcess, sessions: Observation['sessions']): string {
  if (session !== undefined) return callSession(session)
  if (sessions === undefined) return '?'
  return runtime === undefined ? '' : 'says nothing'
}

function changeLines({ changed, sessions, worktree }: Observation, view: ReportView): readonly string[] {
  if (worktree === undefined) return ['A bare repository has no files.']
  if (changed === undefined) return ['Git does not say; see below.']
  if (changed.length === 0) return [`Nothing in ${placeOf(worktree, view)}.`]
  const columns = [{ title: 'FILE' }, { title: 'IS' }, { title: 'ON DISK' }, { title: 'ANNOUNCED BY' }]
  const rows = changed.map((file) => [
    placeOf(file.path, view),
    file.state,
    file.changedMs === undefined ? '' : formatAgo(view.nowMs - file.changedMs),
    announcersIn(file, sessions, view.nowMs),
  ])
  return table(columns, rows, view)
}

function announcersIn(
  { announcedBy }: AnnouncedFile,
  sessions: Observation['sessions'],
  nowMs: number,
): string {
  if (announcedBy === undefined) return '?'
  const newestFirst = announcedBy.toReversed()
  return (
    newestFirst
      .map(({ from, sinceMs }) => `${nameOf(from, sessions)}, ${formatAgo(nowMs - sinceMs)}`)
      .join('; ') || 'nobody'
  )
}

function nameOf(from: string, sessions: readonly RosterSession[] | undefined): string {
  const session = sessions?.find(({ address }) => address === from)
  return session === undefined ? safeLine(from) : callSession(session)
}

function unseenLines({ unseen }: Observation, view: ReportView): readonly string[] {
  return unseen.flatMap(({ what, why }) => wrapped(safeLine(`${what} ${why}`), view))
}

function wrapped(line: string, { columns }: ReportView): readonly string[] {
  return columns === undefined ? [line] : wrapTo(line, columns - INDENT.length)
}

function placeOf(path: string, { columns }: ReportView): string {
  return columns === undefined ? safeLine(path) : cutStartTo(safeLine(path), MAX_PLACE_COLUMNS)
}
