/**
 * The line about what the machine shows before an edit: the fact, and whoever has said it was them. It is never a denial.
 *
 * @see docs/runtimes.md §10; HD-18
 */
import { unreachable } from '../../core/errors.ts'
import { formatAge, formatAgo } from '../../core/text/durations.ts'
import { quoted } from '../../core/text/quoted.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import type { BoardEntry } from '../../protocol/board/board-frame.ts'
import { SILENCE, type HookAnswer } from '../../runtimes/events/answer.ts'
import { apartMs } from '../../runtimes/events/apart.ts'
import { COALESCE_MS } from '../../runtimes/events/budget.ts'
import { lineMark } from '../../runtimes/events/line-mark.ts'
import { isOwn } from '../board/own.ts'
import type { Sighting } from '../observation/observer.ts'
import type { LocatedFile } from '../places/edited.ts'
import type { HookContext, OwnSession } from '../session/context.ts'

/** One line at most, and nothing that was told before. */
export async function tellSighting(
  context: HookContext,
  own: OwnSession,
  edits: readonly LocatedFile[],
): Promise<HookAnswer> {
  if (edits.length === 0) return SILENCE
  const sighting = await context.hooks.observer.findSighting(context, edits)
  if (sighting === undefined) return SILENCE
  const words = await describe(sighting, context, own)
  return { context: `${lineMark()} Seen on this machine: ${words}`, settle: sighting.settle }
}

async function describe(sighting: Sighting, context: HookContext, own: OwnSession): Promise<string> {
  const { nowMs } = context
  switch (sighting.kind) {
    case 'file': {
      const { file, changedMs, more } = sighting
      const others = more === 0 ? '' : ` (and ${more} more of these files)`
      const who = await findAnnouncer(context, own, { file, changedMs })
      const said =
        who === undefined ? 'no session announced it' : `${quoted(who)} announced work on it about then`
      return `${safeLine(file.path)}${others} has changed on disk ${formatAgo(nowMs - changedMs)}, since this session last read or wrote it; ${said}.`
    }
    case 'head': {
      const last = sighting.moves.at(-1)
      const count = sighting.moves.length === 1 ? '' : ` ${sighting.moves.length} times, last`
      return `the HEAD of this worktree has moved${count} ${formatAgo(nowMs - (last?.atMs ?? nowMs))}: ${quoted(last?.what ?? '')}; no session told of it.`
    }
    case 'lock':
      return `index.lock of this worktree has been there for ${formatAge(nowMs - sighting.lock.sinceMs)}: a git is at work, or was killed ("agentd observe" shows more).`
    case 'agent': {
      const { agent } = sighting
      const since = agent.startedMs === undefined ? '' : `, started ${formatAgo(nowMs - agent.startedMs)}`
      return `a process called ${quoted(agent.program)} (pid ${agent.pid}${since}) works in this worktree and has not registered.`
    }
    default:
      return unreachable(sighting)
  }
}

/** Another session that announced work on the file here, at about the time it changed. */
async function findAnnouncer(
  { hooks }: HookContext,
  { state }: OwnSession,
  { file, changedMs }: { readonly file: LocatedFile; readonly changedMs: number },
): Promise<string | undefined> {
  const board = await hooks.board.read()
  const isMeant = (entry: BoardEntry): boolean =>
    !isOwn(entry, state) &&
    // Another machine's path of that name is another file (FED-67).
    entry.node === undefined &&
    entry.worktree === file.worktree &&
    apartMs(entry.sinceMs, changedMs) <= COALESCE_MS
  return board.naming(file).findLast(isMeant)?.from
}
