/**
 * What the daemon answers about sessions. The schemas of all replies are published under `/v1/schemas`, typed for the
 * server, and read tolerantly by the client: an older client ignores members it does not know.
 */
import * as z from 'zod'
import { octets } from '../fields.ts'

/** How something reaches a session, by what it is doing; a name such as `hook`, or `none`. */
const Driver = octets(1, 64)

/** What a session says about how it can be reached: names such as `hook`, or `none`. */
export type Delivery = {
  /** While it works. */
  busy?: string | undefined
  /** Between two turns. */
  idle?: string | undefined
  /** Where no person is at it. */
  headless?: string | undefined
}
export const Delivery = z.strictObject({
  busy: Driver.optional(),
  idle: Driver.optional(),
  headless: Driver.optional(),
})

/** What a session may say it does. `waiting` is at a prompt of its own, where only its person can go on. */
export const ActivityState = z.enum(['working', 'waiting', 'idle'])
export type ActivityState = z.infer<typeof ActivityState>

/** What a session waits for at its own prompt. */
export const WaitingReason = z.enum(['permission', 'question', 'limit', 'error'])
export type WaitingReason = z.infer<typeof WaitingReason>

/** 201 and 200 of `POST /v1/sessions`. */
export const SessionReply = z.object({
  /** What people call it; absent from a daemon that gives no names. */
  name: z.string().optional(),
  address: z.string(),
  handle: z.string(),
  /** The Sovereign handle it acts for; absent from a daemon that knows one alone. */
  principal: z.string().optional(),
  instrument: z.string(),
  session_id: z.string(),
  tool: z.string(),
  token: z.string(),
  event_id: z.string(),
  expires_at: z.string(),
  /** Other nodes that have a session of the same address: what is for it reaches all of them (FED-54). */
  also_on: z.array(z.string()).optional(),
})
export type SessionReply = z.infer<typeof SessionReply>

/** What a session does, as it says itself (W-4). */
const Activity = z.object({
  state: ActivityState,
  reason: WaitingReason.nullable(),
  text: z.string().nullable(),
  /** Since when; saying the same again changes nothing. */
  since: z.string(),
})

/** What a session has told of itself; in a line of a roster as far as it fits (HD-06). */
export const RosterEntry = z.object({
  /** What people call it; unlike every other member never cut, and the same for as long as the session is remembered. */
  name: z.string().optional(),
  address: z.string(),
  instrument: z.string(),
  session_id: z.string(),
  tool: z.string(),
  title: z.string().nullable(),
  cwd: z.string().nullable(),
  repository: z.string().nullable(),
  worktree: z.string().nullable(),
  branch: z.string().nullable(),
  /** Who it speaks and hears for besides itself; absent from a daemon that does not say. */
  entities: z.array(z.string()).optional(),
  /** How it says it can be reached; null when it does not say. */
  delivery: Delivery.nullable().optional(),
  /** Null until it says so; absent from a daemon that does not tell, as is `last_sent_at`. */
  activity: Activity.nullable().optional(),
  /** The process it lives with; null where none is known, absent from a daemon that does not tell. */
  pid: z.int().nullable().optional(),
  started_at: z.string(),
  last_seen_at: z.string(),
  /** Its last frame or envelope; null for none since the daemon started. */
  last_sent_at: z.string().nullable().optional(),
  subscriptions: z.int(),
  mailbox: z.object({ unread: z.int() }).nullable(),
  /** Members of this line that are longer than it tells; absent when it tells all. */
  cut: z.array(z.string()).optional(),
  /** Other nodes that have a session of the same address; absent where none has. */
  also_on: z.array(z.string()).optional(),
  /** What it shares with the session that asked with `near=self`; `worktree` says the repository too. */
  near: z.enum(['worktree', 'repository']).optional(),
})
export type RosterEntry = z.infer<typeof RosterEntry>

/** A session of another node, as that node tells of it (FED-51). */
export const RemoteEntry = z.object({
  address: z.string(),
  instrument: z.string(),
  session_id: z.string(),
  tool: z.string().nullable(),
  /** Whether it holds a stream. */
  live: z.boolean(),
  /** Whether what is for it waits there meanwhile. */
  mailbox: z.boolean(),
  title: z.string().nullable(),
  repository_id: z.string().nullable(),
  branch: z.string().nullable(),
  entities: z.array(z.string()),
})
export type RemoteEntry = z.infer<typeof RemoteEntry>

/** Another node, by the last of its rosters. */
export const NodeEntry = z.object({
  node: z.string(),
  realm: z.string(),
  handle: z.string(),
  /** `away` when it was not heard of for 30 s, `left` when it said that it goes. */
  state: z.enum(['here', 'away', 'left']),
  as_of: z.string(),
  /** How far its clock is ahead of the hub's, in milliseconds; null where nobody knows. */
  offset_ms: z.int().nullable(),
  /** The first of them, as many as a page has. */
  sessions: z.array(RemoteEntry),
  /** How many of the handle it had then. */
  total: z.int(),
})
export type NodeEntry = z.infer<typeof NodeEntry>

/**
 * A page of the sessions that a scope of a handle would expand to. The last three are absent from a daemon that
 * answers with all of them.
 */
export const RosterReply = z.object({
  handle: z.string(),
  sessions: z.array(RosterEntry),
  /** Where the next page begins; null behind the last one. */
  next: z.string().nullable().optional(),
  /** Sessions that the query fits, on all pages together. */
  matching: z.int().optional(),
  /** Sessions of the handle, whatever the query. */
  total: z.int().optional(),
  /** Other nodes, where `nodes=all` asks for them; absent without a link. */
  nodes: z.array(NodeEntry).optional(),
})
export type RosterReply = z.infer<typeof RosterReply>

/** `GET /v1/sessions/self`: the session's own entry, and who it speaks as. */
export const SelfReply = RosterEntry.extend({
  handle: z.string(),
  /** As of a registration. */
  principal: z.string().optional(),
  drafted_with: z.string(),
  expires_at: z.string(),
})
export type SelfReply = z.infer<typeof SelfReply>
