/**
 * Who is there, in the names of a program.
 *
 * @see docs/http.md §4; HD-06
 */
import type { ActivityState, Delivery, WaitingReason } from '../../protocol/http/session-replies.ts'

/** What a session does, as it says itself. The text is its own, and to be shown as somebody else's words. */
export interface SessionActivity {
  /** `waiting` is at a prompt of its own, where only its person can go on. */
  readonly state: ActivityState
  /** What it waits for at its prompt; null where it does not say, or does not wait. */
  readonly reason: WaitingReason | null
  /** More of it, in words; null where it does not say. */
  readonly text: string | null
  /** Since when, RFC 3339. */
  readonly since: string
}

/** One session of a roster. Times are RFC 3339. */
export interface RosterSession {
  /** What people call it, and what `to` takes; undefined from a daemon that gives no names. */
  readonly name: string | undefined
  /** Its address, such as `~alice/cc@s1`. */
  readonly address: string
  /** The instrument that speaks in it, such as `cc`. */
  readonly instrument: string
  /** Its id. */
  readonly sessionId: string
  /** Its tool class, such as `cc`, or `other`. */
  readonly tool: string
  /** What it says it is at work on; null where it does not say. */
  readonly title: string | null
  /** Its directory; null where it does not say. */
  readonly cwd: string | null
  /** Its repository, by the common git directory; null where it does not say. */
  readonly repository: string | null
  /** Its worktree; null where it does not say. */
  readonly worktree: string | null
  /** Its branch; null where it does not say. */
  readonly branch: string | null
  /** AEE entities it speaks and hears for; undefined from a daemon that does not say. */
  readonly entities: readonly string[] | undefined
  /** How it says it can be reached; null when it does not say, undefined from a daemon that does not tell. */
  readonly delivery: Delivery | null | undefined
  /** What it does, as it says itself; null until it says so, undefined from a daemon that does not tell. */
  readonly activity: SessionActivity | null | undefined
  /** The process it lives with; null where none is known, undefined from a daemon that does not tell. */
  readonly pid: number | null | undefined
  /** When it registered. */
  readonly startedAt: string
  /** When it last showed that it is there. */
  readonly lastSeenAt: string
  /** When its last frame or envelope came; null for none since the daemon started, undefined from one that does not tell. */
  readonly lastSentAt: string | null | undefined
  /** How many streams it holds open. */
  readonly subscriptions: number
  /** What waits for it; null for a session without a mailbox. */
  readonly mailbox: {
    /** How many items wait. */
    readonly unread: number
  } | null
  /** Members that are longer than a roster tells; undefined when all of it is here. */
  readonly cut: readonly string[] | undefined
  /** Other nodes that have a session of the same address, which all get what is for it; undefined where none has. */
  readonly alsoOn?: readonly string[] | undefined
  /** What it shares with the session that asked for those near it; undefined when none did. */
  readonly near: 'worktree' | 'repository' | undefined
}

/** A session of another node, as that node tells of it. */
export interface RemoteSession {
  /** Its address. */
  readonly address: string
  /** The instrument that speaks in it. */
  readonly instrument: string
  /** Its id. */
  readonly sessionId: string
  /** Its tool class; null where the node does not say. */
  readonly tool: string | null
  /** Whether it holds a stream. */
  readonly live: boolean
  /** Whether what is for it waits there meanwhile. */
  readonly mailbox: boolean
  /** What it says it is at work on; null where the node does not say. */
  readonly title: string | null
  /** Its repository, by where that comes from, such as `git:example.org/alice/api`; null where the node does not say. */
  readonly repositoryId: string | null
  /** Its branch; null where the node does not say. */
  readonly branch: string | null
  /** AEE entities it speaks and hears for. */
  readonly entities: readonly string[]
}

/** Another node that the daemon is linked with, by the last of its rosters. */
export interface RosterNode {
  /** What it is called. */
  readonly node: string
  /** The realm it is in, such as `p.alice`. */
  readonly realm: string
  /** Whose node it is. */
  readonly handle: string
  /** `away` when it was not heard of for 30 s, `left` when it said that it goes. */
  readonly state: 'here' | 'away' | 'left'
  /** When it was last heard of, RFC 3339. */
  readonly asOf: string
  /** How far its clock is ahead of the hub's, in milliseconds; null where nobody knows. */
  readonly offsetMs: number | null
  /** Who was there; of very many the first. */
  readonly sessions: readonly RemoteSession[]
  /** How many were there. */
  readonly total: number
}

/** A page of a roster, in the order they came. */
export interface RosterPage {
  /** The sessions. */
  readonly sessions: readonly RosterSession[]
  /** Cursor of the next page; null at the end. */
  readonly next: string | null
  /** Sessions that were asked for, on all pages; undefined from a daemon that does not count. */
  readonly matching: number | undefined
  /** Sessions of the handle, whatever was asked for. */
  readonly total: number | undefined
  /** Other nodes, where they were asked for; undefined without a link. */
  readonly nodes?: readonly RosterNode[] | undefined
}
