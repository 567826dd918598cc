/**
 * What sessions have told the daemon that bears on a place: who is there, who is at which file, and who told of a commit.
 * It is read, and nothing is sent.
 *
 * @see docs/http.md §§4, 5
 */
import type { Clock } from '../../core/clock.ts'
import type { Participant, RosterSession } from '../../client/index.ts'
import { BOARD_KINDS } from '../../protocol/board/board-frame.ts'
import { Board, observePast } from '../../protocol/board/board.ts'
import { commitsIn } from '../../protocol/board/commit-refs.ts'

/** Frames of each kind that are looked at: as many as a page may hold. */
const MAX_ITEMS = 1_000

/** What was told. */
export interface Told {
  readonly sessions: readonly RosterSession[]
  readonly board: Board
  /** Commit → who told of it: a session's address, or a handle. */
  readonly commits: ReadonlyMap<string, string>
}

/** All of it, of one moment. */
export async function readTold(participant: Participant, clock: Clock): Promise<Told> {
  const [sessions, broadcasts, ...pages] = await Promise.all([
    participant.roster(),
    participant.history({ filter: 'kind:agent_broadcast', limit: MAX_ITEMS }),
    ...BOARD_KINDS.map((kind) => participant.history({ filter: `kind:${kind}`, limit: MAX_ITEMS })),
  ])
  const board = new Board({ clock, carriesOn: () => false })
  observePast(
    board,
    pages.flatMap(({ items }) => items),
  )
  const commits = broadcasts.items.flatMap(({ frame, sender }) => {
    const { payload, kind } = frame
    const named = kind === 'agent_broadcast' ? commitsIn(payload.refs ?? []) : []
    return named.map((sha) => [sha, sender ?? frame.sender_handle] as const)
  })
  return { sessions, board, commits: new Map(commits) }
}
