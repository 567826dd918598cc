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
  /** Its session's address; null for the principal itself, and for an entity without a session. */
  readonly address: string | null
  /** What people call it; undefined for one that is not there. */
  readonly name: string | undefined
  /** What it says it is at work on; null where it does not say. */
  readonly title: string | null
  /** Its repository, by the common git directory; null where it does not say. */
  readonly repository: string | null
  /** Its branch; null where it does not say. */
  readonly branch: string | null
  /** Its directory; null where it does not say, undefined from a daemon that does not tell. */
  readonly cwd: string | null | undefined
  /** Whether its session is there just now. */
  readonly present: boolean
}

/** One need. Times are RFC 3339. */
export interface PersonNeed {
  /** `query_id`, `frame_id`, `diagnostic_id`, the id of an envelope, or the address that waits at its prompt. */
  readonly needId: string
  /** What kind of answer it waits for. */
  readonly type: NeedType
  /** `you` where only a person can be meant. */
  readonly addressed: 'you' | 'anyone'
  /** The place of the item that opened it; null for a prompt, which is none. */
  readonly eventId: string | null
  /** When it was asked. */
  readonly askedAt: string
  /** Until when whoever asks waits; null where it does not say. */
  readonly until: string | null
  /** `late`: the asker's window is over, and an answer still goes to it. */
  readonly state: 'open' | 'late' | 'closed'
  /** What closed it; undefined while it is not closed. */
  readonly closedBy: NeedClosing | undefined
  /** Who asks. */
  readonly from: NeedSource
  /** What is asked, at most 2 048 characters; for a prompt what the session says it waits for. */
  readonly text: string
  /** What was sent; undefined for a prompt, and in a listing that would be too long with it. */
  readonly frame: Frame | undefined
  /** As `frame`, where an envelope asks. */
  readonly envelope: Envelope | undefined
}

/** How many there are, by whom they are addressed to. */
export interface NeedCounts {
  /** Those that only a person can answer. */
  readonly you: number
  /** Those that an agent may answer as well. */
  readonly anyone: number
}

/** Everything that is open or late: those for the person alone first, then what ends soon, then the oldest first. */
export interface PersonNeeds {
  /** The needs. */
  readonly needs: readonly PersonNeed[]
  /** How many they are. */
  readonly counts: NeedCounts
  /** Needs that gave way to others since the daemon has kept them. */
  readonly displaced: number
}

/** What a prompt or a status line shows. */
export interface Summary {
  /** How many sessions are here. */
  readonly sessions: number
  /** Of those, how many wait at a prompt of their own. */
  readonly waiting: number
  /** How many needs are open or late. */
  readonly needs: NeedCounts
  /** When the oldest of them was asked, RFC 3339; null for none. */
  readonly oldestNeedAt: string | null
  /** The place of the newest item. */
  readonly lastEventId: string
}
