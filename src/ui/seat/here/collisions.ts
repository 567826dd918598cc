/**
 * Where two sessions are at one file: worked out by the reader from what was announced, as every recipient may (memo §4.4).
 *
 * A lease is an announcement: nobody holds anything, and nothing here says so.
 *
 * @see SEAT-24; AC-034…AC-038
 */
import type { BoardEntry } from '../../../protocol/board/board-frame.ts'
import { plainPath } from '../../../protocol/board/resource-path.ts'
import type { SeatSession } from './session.ts'

/** How long an announcement of work on a file counts that is no lease, in milliseconds (SEAT-24). */
export const ADVISORY_COUNTS_MS = 3_600_000

/** Somebody at a file. */
export interface CollisionParty {
  readonly session: SeatSession
  readonly by: 'lease' | 'edit'
  /** Of a lease: when it ends, in wall time. */
  readonly untilMs: number
  /** When it was announced. */
  readonly sinceMs: number
}

/** Two or more at one file. */
export interface Collision {
  /** Within the worktree, where that is known; otherwise as it was announced. */
  readonly path: string
  /** `same`: they overwrite each other. `other`: their edits meet only when the branches do. */
  readonly worktree: 'same' | 'other'
  /** One for each session, who announced last in front. */
  readonly parties: readonly CollisionParty[]
}

interface PlacedParty extends CollisionParty {
  readonly path: string
  readonly repository: string
  readonly worktree: string
}

/**
 * The collisions of now, those in one worktree first, then the newest first.
 *
 * @param entries - what is announced (`Board.entries`)
 * @param sessions - who is there, by address: what somebody announced who has left collides with nobody
 */
export function findCollisions(
  entries: readonly BoardEntry[],
  sessions: ReadonlyMap<string, SeatSession>,
  nowMs: number,
): readonly Collision[] {
  const byFile = new Map<string, PlacedParty[]>()
  for (const entry of entries) {
    const party = placeParty(entry, sessions)
    if (party === undefined || (party.by === 'edit' && party.sinceMs <= nowMs - ADVISORY_COUNTS_MS)) continue
    const key = `${party.repository}\0${party.path}`
    const parties = byFile.get(key)
    if (parties === undefined) byFile.set(key, [party])
    else parties.push(party)
  }
  return [...byFile.values()]
    .flatMap(collide)
    .toSorted(
      (a, b) => Number(a.worktree === 'other') - Number(b.worktree === 'other') || newest(b) - newest(a),
    )
}

function collide(parties: readonly PlacedParty[]): readonly Collision[] {
  // A lease says more than an edit of the same session, and the newest word more than an older one.
  const bySession = new Map<string, PlacedParty>()
  for (const party of parties) {
    const known = bySession.get(party.session.address)
    if (known?.by !== 'lease' || party.by === 'lease') bySession.set(party.session.address, party)
  }
  const own = [...bySession.values()].toSorted((a, b) => b.sinceMs - a.sinceMs)
  const [first] = own
  if (first === undefined || own.length < 2) return []
  const isShared = new Set(own.map(({ worktree }) => worktree)).size < own.length
  return [{ path: first.path, worktree: isShared ? 'same' : 'other', parties: own }]
}

/** @returns undefined for what no session here announced */
function placeParty(
  { from, resource, worktree, leaseId, sinceMs, untilMs }: BoardEntry,
  sessions: ReadonlyMap<string, SeatSession>,
): PlacedParty | undefined {
  const session = sessions.get(from)
  if (session === undefined || session.isPerson) return undefined
  const plain = plainPath(resource)
  const root = worktree ?? rootAround(plain, session, sessions) ?? session.worktree ?? session.cwd ?? ''
  return {
    session,
    by: leaseId === undefined ? 'edit' : 'lease',
    sinceMs,
    untilMs,
    path: plain.startsWith(`${root}/`) ? plain.slice(root.length + 1) : plain,
    repository: repositoryOf(root, session, sessions),
    worktree: root,
  }
}

/** The worktree that an absolute path lies in, as far as one is known of the sessions here; their own first. */
function rootAround(
  path: string,
  session: SeatSession,
  sessions: ReadonlyMap<string, SeatSession>,
): string | undefined {
  if (!path.startsWith('/')) return undefined
  return [session, ...sessions.values()]
    .map(({ worktree }) => worktree)
    .find((root) => root !== undefined && path.startsWith(`${root}/`))
}

/** Of which repository a worktree is: as its own session says, or another one that works in it. */
function repositoryOf(
  root: string,
  session: SeatSession,
  sessions: ReadonlyMap<string, SeatSession>,
): string {
  if (session.worktree === root && session.repository !== undefined) return session.repository
  const inside = [...sessions.values()].find(
    ({ worktree, repository }) => worktree === root && repository !== undefined,
  )
  return inside?.repository ?? (session.worktree === undefined ? session.repository : undefined) ?? root
}

function newest({ parties }: Collision): number {
  return Math.max(...parties.map(({ sinceMs }) => sinceMs))
}
