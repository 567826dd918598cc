/**
 * What needs the person, in the names of a program.
 *
 * @see docs/http.md §7; W-3, W-6
 */
import type { Envelope } from '../../aee/envelope/envelope.ts'
import type { Frame } from '../../protocol/frame/frame.ts'
import type { NeedClosing, NeedType } from '../../protocol/http/need.ts'

/** Who asks. All but the address is its own words. */
export interface NeedSource {
  /** Null for the principal itself, and for an entity without a session. */
  readonly address: string | null
  /** What people call it; undefined for one that is not there. */
  readonly name: string | undefined
  readonly title: string | null
  readonly repository: string | null
  readonly branch: string | null
  readonly cwd: string | null | undefined
  /** Whether its session is there just now. */
  readonly present: boolean
}

/** One need. Times are RFC 3339. */
export interface PersonNeed {
  /** `query_id`, `frame_id`, `diagnostic_id`, the id of an envelope, or the address that waits at its prompt. */
  readonly needId: string
  readonly type: NeedType
  /** `you` where only a person can be meant. */
  readonly addressed: 'you' | 'anyone'
  readonly eventId: string | null
  readonly askedAt: string
  /** Until when whoever asks waits; null where it does not say. */
  readonly until: string | null
  /** `late`: the asker's window is over, and an answer still goes to it. */
  readonly state: 'open' | 'late' | 'closed'
  readonly closedBy: NeedClosing | undefined
  readonly from: NeedSource
  readonly text: string
  /** What was sent; undefined for a prompt, and in a listing that would be too long with it. */
  readonly frame: Frame | undefined
  readonly envelope: Envelope | undefined
}

/** How many there are, by whom they are addressed to. */
export interface NeedCounts {
  readonly you: number
  readonly anyone: number
}

/** Everything that is open or late: those for the person alone first, then what ends soon, then the oldest first. */
export interface PersonNeeds {
  readonly needs: readonly PersonNeed[]
  readonly counts: NeedCounts
  /** Needs that gave way to others since the daemon has kept them. */
  readonly displaced: number
}

/** What a prompt or a status line shows. */
export interface Summary {
  readonly sessions: number
  /** Of those, how many wait at a prompt of their own. */
  readonly waiting: number
  readonly needs: NeedCounts
  readonly oldestNeedAt: string | null
  readonly lastEventId: string
}
