/**
 * What `agentd board` shows: the board as any recipient has it, with the place of each entry and who has left.
 *
 * @see docs/http.md §5
 */
import { basename } from 'node:path'
import type { Clock } from '../../core/clock.ts'
import { formatAge } from '../../core/text/durations.ts'
import { quoted } from '../../core/text/quoted.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import type { Participant, RosterNode, RosterSession } from '../../client/index.ts'
import { locatePath, pathWithin, type PathPlace } from '../../host/repository.ts'
import { BOARD_KINDS, type BoardEntry } from '../../protocol/board/board-frame.ts'
import { Board, observePast } from '../../protocol/board/board.ts'
import { isGone } from '../../protocol/board/presence.ts'
import { isAbsolutePath, plainPath } from '../../protocol/board/resource-path.ts'
import type { BoardLine } from '../items/board-line.ts'

/** Frames of each kind that are looked at: as many as a page may hold. */
const MAX_ITEMS = 1_000

/** Sessions of each other node that are looked at: as many as a page of a roster may hold. */
const MAX_NODE_SESSIONS = 256

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
  const nodes = entries.some(({ node }) => node !== undefined) ? await readNodes(participant) : []
  const rosters = { here: sessions, nodes }
  const locate = remembering(locatePath)
  const lines = entries.map(async (entry) => {
    const session = entry.node === undefined ? sessions.get(entry.from) : undefined
    const nowMs = clock.nowMs()
    return {
      ...entry,
      ...(entry.node === undefined ? await placeOf(entry, session, locate) : placeThere(entry, nodes)),
      name: session?.name,
      hasLeft: isGone(entry, rosters),
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

/** As programs read one: times as RFC 3339, and null for what was not said. */
export function boardLineToWire(line: BoardLine): object {
  const { sinceMs, untilMs, leaseId, ...said } = line
  const { name = null, repository = null, repositoryId, node, worktree = null, branch = null } = said
  return {
    kind: leaseId === undefined ? 'file' : 'lease',
    resource: said.resource,
    path: said.path,
    repository,
    ...(node !== undefined && { node, repositoryId: repositoryId ?? null }),
    worktree,
    branch,
    name,
    from: said.from,
    hasLeft: said.hasLeft,
    about: said.about ?? null,
    leaseId: leaseId ?? null,
    frameId: said.frameId,
    since: new Date(sinceMs).toISOString(),
    until: new Date(untilMs).toISOString(),
  }
}

/** Other nodes with their sessions. */
async function readNodes(participant: Participant): Promise<readonly RosterNode[]> {
  return (await participant.rosterPage({ nodes: 'all', limit: MAX_NODE_SESSIONS })).nodes ?? []
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

type Place = Pick<BoardLine, 'path' | 'repository' | 'repositoryId' | 'worktree' | 'branch'>

/** On another machine: its paths are looked up nowhere here, however equal to one of this machine they are (FED-67). */
function placeThere(
  { resource, worktree, branch, from, node }: BoardEntry,
  nodes: readonly RosterNode[],
): Place {
  const sessions = nodes.filter((one) => one.node === node).flatMap((one) => one.sessions)
  const session = sessions.find(({ address }) => address === from)
  const repositoryId = session?.repositoryId ?? undefined
  const path = plainPath(resource)
  return {
    path,
    repository: undefined,
    repositoryId,
    worktree,
    branch: branch ?? session?.branch ?? undefined,
  }
}

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
    return { ...place, repositoryId: undefined, branch, path: within ?? plain }
  }
  if (worktree?.startsWith('/') === true) {
    const { repository, worktree: root = worktree } = await locate(worktree)
    return { repository, repositoryId: undefined, worktree: root, branch, path: plain }
  }
  const { repository, worktree: root, branch: own } = session ?? {}
  return {
    repository: repository ?? undefined,
    repositoryId: undefined,
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
    const { node, repositoryId, worktree = '' } = line
    const { repository = worktree } = line
    const home = node === undefined ? repository : `${node}\0${repositoryId ?? repository}`
    const worktrees = repositories.get(home) ?? new Map<string, Line[]>()
    repositories.set(home, worktrees)
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
function headOf(inside: readonly (Place & Pick<BoardEntry, 'node'>)[]): string {
  const { node, repository, repositoryId, worktree } = inside[0] ?? {}
  if (node !== undefined)
    return `${safeLine(repositoryId ?? worktree ?? 'It was not said where')}, on the machine ${quoted(node)}`
  if (worktree === undefined) return 'It was not said where'
  const main = repository?.replace(/\/\.git$/, '')
  const head = main === undefined || main === worktree ? worktree : `${worktree}, of ${basename(main)}`
  const branch = inside.find((line) => line.branch !== undefined)?.branch
  return branch === undefined ? safeLine(head) : `${safeLine(head)}, on ${quoted(branch)}`
}
