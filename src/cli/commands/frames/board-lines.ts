/**
 * What `agentd board` shows: the board as any recipient has it, with the place of each entry and who has left.
 *
 * @see docs/http.md §5
 */
import { basename } from 'node:path'
import type { Clock } from '../../../core/clock.ts'
import { formatAge } from '../../../core/text/durations.ts'
import { quoted } from '../../../core/text/quoted.ts'
import { safeLine } from '../../../core/text/safe-text.ts'
import type { Participant, RosterSession } from '../../../client/index.ts'
import { locatePath, pathWithin, type PathPlace } from '../../../host/repository.ts'
import { BOARD_KINDS, type BoardEntry } from '../../../protocol/board/board-frame.ts'
import { Board, observePast } from '../../../protocol/board/board.ts'
import { isAbsolutePath, plainPath } from '../../../protocol/board/resource-path.ts'
import type { BoardLine } from '../../items/board-line.ts'

/** Frames of each kind that are looked at: as many as a page may hold. */
const MAX_ITEMS = 1_000

/** What is announced, oldest first, and whether older frames than those looked at may say more. */
export async function readBoardLines(participant: Participant, clock: Clock) {
  const pages = await Promise.all(
    BOARD_KINDS.map((kind) => participant.history({ filter: `kind:${kind}`, limit: MAX_ITEMS })),
  )
  const board = new Board({ clock, carriesOn: () => false })
  observePast(
    board,
    pages.flatMap(({ items }) => items),
  )
  // After the frames: whoever announces something has been there before.
  const sessions = new Map((await participant.roster()).map((session) => [session.address, session]))
  const entries = board.entries()
  for (const { from } of entries) if (from.includes('@') && !sessions.has(from)) board.sessionEnded(from)
  const locate = remembering(locatePath)
  const lines = entries.map(async (entry) => {
    const session = sessions.get(entry.from)
    const nowMs = clock.nowMs()
    return {
      ...entry,
      ...(await placeOf(entry, session, locate)),
      name: session?.name,
      hasLeft: board.hasLeft(entry),
      ago: formatAge(Math.max(0, nowMs - entry.sinceMs)),
      left: formatAge(Math.max(0, entry.untilMs - nowMs)),
      remark: remarkOf(entry),
    }
  })
  return {
    handle: participant.handle,
    lines: byPlace(await Promise.all(lines)),
    isCut: pages.some(({ items }) => items.length === MAX_ITEMS),
  }
}

type Locate = (path: string) => Promise<PathPlace>

/** Many entries are in few places. */
function remembering(locate: Locate): Locate {
  const known = new Map<string, Promise<PathPlace>>()
  return (path) => {
    const found = known.get(path) ?? locate(path)
    known.set(path, found)
    return found
  }
}

type Place = Pick<BoardLine, 'path' | 'repository' | 'worktree' | 'branch'>

/** Where an entry says it is, or its file does; otherwise where its session works. */
async function placeOf(
  { resource, worktree, branch }: BoardEntry,
  session: RosterSession | undefined,
  locate: Locate,
): Promise<Place> {
  const plain = plainPath(resource)
  if (isAbsolutePath(resource)) {
    const { real, ...place } = await locate(plain)
    const within = place.worktree === undefined ? undefined : pathWithin(place.worktree, real)
    return { ...place, branch, path: within ?? plain }
  }
  if (worktree?.startsWith('/') === true) {
    const { repository, worktree: root = worktree } = await locate(worktree)
    return { repository, worktree: root, branch, path: plain }
  }
  const { repository, worktree: root, branch: own } = session ?? {}
  return {
    repository: repository ?? undefined,
    worktree: worktree ?? root ?? undefined,
    branch: branch ?? own ?? undefined,
    path: plain,
  }
}

/** Hooks say what they edit, and then the path again. */
function remarkOf({ about, resource }: BoardEntry): string {
  return about === undefined || about.includes(resource) ? '' : quoted(about)
}

/** By repository and worktree, the one with the newest announcement first, and in each the newest first. */
function byPlace<Line extends Place & BoardEntry>(
  lines: readonly Line[],
): readonly (Line & { readonly head: string })[] {
  const newestFirst = lines.toReversed().toSorted((a, b) => b.sinceMs - a.sinceMs)
  const repositories = new Map<string, Map<string, Line[]>>()
  for (const line of newestFirst) {
    const { worktree = '', repository = worktree } = line
    const worktrees = repositories.get(repository) ?? new Map<string, Line[]>()
    repositories.set(repository, worktrees)
    const inside = worktrees.get(worktree) ?? []
    worktrees.set(worktree, inside)
    inside.push(line)
  }
  const places = [...repositories.values()].flatMap((worktrees) => [...worktrees.values()])
  return places.flatMap((inside) => {
    const head = headOf(inside)
    return inside.map((line) => ({ ...line, head }))
  })
}

/** A worktree, of which repository where that is another folder, and its branch as the newest that says one has it. */
function headOf(inside: readonly Place[]): string {
  const { repository, worktree } = inside[0] ?? {}
  if (worktree === undefined) return 'It was not said where'
  const main = repository?.replace(/\/\.git$/, '')
  const head = main === undefined || main === worktree ? worktree : `${worktree}, of ${basename(main)}`
  const branch = inside.find((line) => line.branch !== undefined)?.branch
  return branch === undefined ? safeLine(head) : `${safeLine(head)}, on ${quoted(branch)}`
}
