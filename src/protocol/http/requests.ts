/**
 * What requests carry: closed objects for bodies and for query strings.
 *
 * A query parameter that nobody knows is refused like an unknown field: a misspelled `filter` would otherwise
 * widen a stream without a word (the reasoning of AC-157).
 */
import * as z from 'zod'
import { Handle, Instrument, SessionId, ToolClass } from '../address/handle.ts'
import { KIND_NAMES } from '../frame/kinds.ts'
import {
  DEFAULT_DRAIN_ITEMS,
  DEFAULT_DRAIN_OCTETS,
  DEFAULT_HISTORY_ITEMS,
  DEFAULT_LISTED_THREADS,
  DEFAULT_ROSTER_SESSIONS,
  DEFAULT_THREAD_ITEMS,
  DEFAULT_WAIT_MS,
  MAX_ACTIVITY_OCTETS,
  MAX_DRAIN_ITEMS,
  MAX_DRAIN_OCTETS,
  MAX_ENTITIES,
  MAX_ENTITY_OCTETS,
  MAX_HISTORY_ITEMS,
  MAX_LISTED_THREADS,
  MAX_ROSTER_SESSIONS,
  MAX_SCOPE_OCTETS,
  MAX_SEARCH_OCTETS,
  MAX_SEEN_IDS,
  MAX_THREAD_ITEMS,
  MAX_WAIT_MS,
} from '../../core/limits.ts'
import { Timestamp, UuidV4, matching, octets } from '../fields.ts'
import { ActivityState, Delivery, WaitingReason } from './session-replies.ts'

/** How a receiving side came by an item; it goes into the sender's receipts. */
export const Via = z.enum(['stream', 'inbox', 'mcp', 'hook'])
export type Via = z.infer<typeof Via>

const Path = octets(0, 4_096)
const MAX_PID = 2 ** 31 - 1

/** Any string names an entity, as long as a terminal and a log can show it (AEE-032). */
export const Entity = octets(1, MAX_ENTITY_OCTETS).refine(
  (name) => !/\p{Cc}/u.test(name),
  'must not hold control characters',
)

/**
 * `POST /v1/sessions` (docs/http.md §4). Only `instrument` is required. An update keeps what is left out; what is null is
 * as it would be had nobody ever said it.
 */
export const SessionRequest = z.strictObject({
  instrument: Instrument,
  session_id: SessionId.optional(),
  tool: ToolClass.nullish(),
  handle: Handle.optional(),
  drafted_with: Handle.nullish(),
  title: octets(0, 256).nullish(),
  cwd: Path.nullish(),
  repository: Path.nullish(),
  /** What it is called on every machine: `git:` with host and path of where it comes from (FED-68). */
  repository_id: octets(1, 512).nullish(),
  worktree: Path.nullish(),
  branch: octets(0, 256).nullish(),
  pid: z.int().min(1).max(MAX_PID).nullish(),
  mailbox: z.boolean().nullish(),
  /** Whether it is an agent: `agent.` and its name is one of its entities. */
  agent: z.boolean().nullish(),
  entities: z.array(Entity).max(MAX_ENTITIES, `must hold at most ${MAX_ENTITIES} items`).nullish(),
  delivery: Delivery.nullish(),
  successor_of: matching(
    /^[a-z0-9-]{1,32}@[A-Za-z0-9._:-]{1,128}$/,
    'must be <instrument>@<session-id>',
  ).optional(),
})
export type SessionRequest = z.infer<typeof SessionRequest>

/** `POST /v1/sessions/self/activity` (docs/http.md §4, W-4). */
export const ActivityRequest = z
  .strictObject({
    state: ActivityState,
    reason: WaitingReason.nullable().default(null),
    text: octets(0, MAX_ACTIVITY_OCTETS).nullable().default(null),
  })
  .refine(({ state, reason }) => reason === null || state === 'waiting', {
    message: 'is only for the state "waiting"',
    path: ['reason'],
  })
export type ActivityRequest = z.infer<typeof ActivityRequest>

/** `POST /v1/inbox/drain` (docs/http.md §7). */
export const DrainRequest = z.strictObject({
  max_items: z.int().min(1).max(MAX_DRAIN_ITEMS).default(DEFAULT_DRAIN_ITEMS),
  max_bytes: z.int().min(1).max(MAX_DRAIN_OCTETS).default(DEFAULT_DRAIN_OCTETS),
  format: z.enum(['json', 'text']).default('json'),
  peek: z.boolean().default(false),
  /** What was handed over before was shown, or has to wait again (OP-09). */
  handed: z.enum(['seen', 'returned']).optional(),
  /** What the items are from now on, unless it is a peek: `handed` until the next drain proves it or takes it back. */
  state: z.enum(['seen', 'handed']).default('seen'),
  via: Via.default('inbox'),
  /** `count` leaves what other principals sent over a link waiting, and says how much of whom there is (FED-64). */
  foreign: z.enum(['show', 'count']).optional(),
})
export type DrainRequest = z.infer<typeof DrainRequest>

/**
 * `POST /v1/seen` (docs/http.md §7): one of the two members; `dropped` says that they were left out, shown to nobody, and
 * `handed` that they were written to whoever shows them.
 */
export const SeenRequest = z
  .strictObject({
    up_to: z.string().optional(),
    event_ids: z.array(z.string()).max(MAX_SEEN_IDS).optional(),
    state: z.enum(['seen', 'dropped', 'handed']).optional(),
    via: Via.default('stream'),
  })
  .refine((request) => (request.up_to === undefined) !== (request.event_ids === undefined), {
    message: 'takes either "up_to" or "event_ids"',
    path: ['up_to'],
  })
  .refine((request) => request.state !== 'handed' || request.event_ids !== undefined, {
    message: 'takes "event_ids" for what was handed over',
    path: ['state'],
  })
export type SeenRequest = z.infer<typeof SeenRequest>

/** A whole number in a query string. */
export const count = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .pipe(z.int().min(min).max(max))

export const NoQuery = z.strictObject({})

export const StreamQuery = z.strictObject({
  filter: z.string().default(''),
  after: z.string().optional(),
  replay: count(0, MAX_HISTORY_ITEMS).optional(),
  instrument: Instrument.optional(),
  session_id: SessionId.optional(),
  tool: ToolClass.optional(),
  entities: z.string().max(4_096).optional(),
  /** A stream beside the mailbox: what it does not take waits there, as if the session held none. */
  aside: z.literal('true').optional(),
  /** Unnamed events of frames alone, as the memo has them. */
  profile: z.literal('memo').optional(),
})
export type StreamQuery = z.infer<typeof StreamQuery>

/** `GET /v1/watch`: where it begins (docs/http.md §6, W-1). */
export const WatchQuery = StreamQuery.pick({ after: true, replay: true })

/** `GET /v1/handles/{handle}/roster`: a page of who is there (HD-06). */
export const RosterQuery = z.strictObject({
  after: z.string().optional(),
  limit: count(1, MAX_ROSTER_SESSIONS).default(DEFAULT_ROSTER_SESSIONS),
  /** Only those in the repository or the worktree of the session that asks. */
  near: z.literal('self').optional(),
  /** With those of other nodes, where there is a link; without it the roster is this node's. */
  nodes: z.literal('all').optional(),
})
export type RosterQuery = z.infer<typeof RosterQuery>

/** `GET /v1/frames` (docs/http.md §5); every parameter that is given has to fit. */
export const HistoryQuery = z.strictObject({
  handle: Handle.optional(),
  filter: z.string().default(''),
  after: z.string().optional(),
  /** An address, or a handle. */
  sender: octets(1, MAX_SCOPE_OCTETS).optional(),
  /** Accepted then or later, and before then. */
  since: Timestamp.optional(),
  before: Timestamp.optional(),
  text: octets(1, MAX_SEARCH_OCTETS).optional(),
  limit: count(1, MAX_HISTORY_ITEMS).default(DEFAULT_HISTORY_ITEMS),
})
export type HistoryQuery = z.infer<typeof HistoryQuery>

/** `GET /v1/events` (docs/http.md §5, W-2); every parameter that is given has to fit. */
export const EventsQuery = z.strictObject({
  before: z.string().optional(),
  after: z.string().optional(),
  limit: count(1, MAX_HISTORY_ITEMS).default(DEFAULT_HISTORY_ITEMS),
  /** Kinds of frames, and `aee_envelope` for envelopes, joined by commas. */
  kind: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum([...KIND_NAMES, 'aee_envelope'])))
    .optional(),
  /** An address, or a handle. */
  sender: octets(1, MAX_SCOPE_OCTETS).optional(),
  /** The address of a session: what it sent, and what came to it. */
  session: octets(1, MAX_SCOPE_OCTETS).optional(),
  corr: z.string().min(1).optional(),
  text: octets(1, MAX_SEARCH_OCTETS).optional(),
})
export type EventsQuery = z.infer<typeof EventsQuery>

/** `DELETE /v1/frames`: which retained frames to forget; at least one criterion. */
export const ForgetQuery = z.strictObject({
  event_id: z.string().optional(),
  frame_id: UuidV4.optional(),
  /** The workflow of envelopes. */
  corr: z.string().min(1).optional(),
  sender: Handle.optional(),
  kind: z.enum(KIND_NAMES).optional(),
  before: Timestamp.optional(),
  /** An event id: nothing that came behind it. */
  up_to: z.string().optional(),
  /** Count instead of forgetting. */
  dry_run: z.literal('true').optional(),
  /** On the person's other machines too. */
  everywhere: z.literal('true').optional(),
})
export type ForgetQuery = z.infer<typeof ForgetQuery>

export const ReceiptsQuery = z.strictObject({
  wait: z.enum(['seen', 'all']).optional(),
  timeout_ms: count(0, MAX_WAIT_MS).default(DEFAULT_WAIT_MS),
})
export type ReceiptsQuery = z.infer<typeof ReceiptsQuery>

export const WaitQuery = z.strictObject({ timeout_ms: count(0, MAX_WAIT_MS).default(DEFAULT_WAIT_MS) })

/** `GET /v1/threads/{corr}`: a page of a workflow in causal order. */
export const ThreadQuery = z.strictObject({
  after: z.string().optional(),
  limit: count(1, MAX_THREAD_ITEMS).default(DEFAULT_THREAD_ITEMS),
})

/** `GET /v1/threads`: a page of the workflows, that with the newest envelope first (W-5). */
export const ThreadsQuery = z.strictObject({
  before: z.string().optional(),
  limit: count(1, MAX_LISTED_THREADS).default(DEFAULT_LISTED_THREADS),
  /** Only those with a task that has not come to its end. */
  open: z.literal('true').optional(),
})
