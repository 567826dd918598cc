/**
 * The published JSON Schemas by name: the frame, each payload, every request and reply, each verb.
 *
 * @see docs/http.md §10; PD-15
 */
import type * as z from 'zod'
import { Handle } from '../address/handle.ts'
import { Timestamp, UuidV4 } from '../fields.ts'
import { Frame } from '../frame/frame.ts'
import { KINDS, KIND_NAMES, isKind } from '../frame/kinds.ts'
import * as daemon from '../http/daemon-replies.ts'
import * as envelopes from '../http/envelope-replies.ts'
import * as frames from '../http/frame-replies.ts'
import * as inbox from '../http/inbox-replies.ts'
import * as links from '../http/link-exchange.ts'
import { LinksReply } from '../http/links-reply.ts'
import * as needs from '../http/need.ts'
import * as requests from '../http/requests.ts'
import { SubmissionRequest } from '../http/submission-requests.ts'
import * as sessions from '../http/session-replies.ts'
import * as watch from '../http/watch-events.ts'
import { HookStatusReply } from '../routes/hook-routes.ts'
import { READING_VERBS, VERBS } from '../verb/verbs.ts'
import { nameSchema, toJsonSchema, type JsonSchema } from './json-schema.ts'
import { GRAMMARS } from './said-by-hand.ts'
import { describeUnsaid, type UnsaidRule } from './unsaid.ts'

type Table = Readonly<Record<string, z.ZodType>>

const FIELDS: Table = { handle: Handle, timestamp: Timestamp, uuid: UuidV4 }

const FRAMES: Table = { frame: Frame, submission: SubmissionRequest }

const PAYLOADS: Table = Object.fromEntries(KIND_NAMES.map((kind) => [kind, KINDS[kind].payload]))

const BODIES: Table = {
  session: requests.SessionRequest,
  activity: requests.ActivityRequest,
  drain: requests.DrainRequest,
  seen: requests.SeenRequest,
  'link-records': links.RecordsHead,
  'link-presence': links.LinkPresenceRequest,
  'link-estate': links.EstateRequest,
  'link-acknowledged': links.AcknowledgedRequest,
  'link-condition': links.ConditionRequest,
}

/** What a verb takes goes by the verb's name, with `-verb` where a kind is called the same. */
const ARGUMENTS: Table = Object.fromEntries(
  Object.entries(VERBS).map(([name, verb]) => [verbSchemaName(name), verb.args]),
)

const REPLIES: Table = {
  'submission-reply': frames.SubmissionReply,
  'session-reply': sessions.SessionReply,
  'self-reply': sessions.SelfReply,
  'roster-reply': sessions.RosterReply,
  'roster-entry-reply': sessions.RosterEntry,
  'history-reply': frames.HistoryReply,
  'forget-reply': frames.ForgetReply,
  'frame-text-reply': frames.FrameTextReply,
  'events-reply': frames.EventsReply,
  'event-reply': frames.EventReply,
  'receipts-reply': frames.ReceiptsReply,
  'envelope-reply': envelopes.EnvelopeReply,
  'envelope-receipts-reply': envelopes.EnvelopeReceiptsReply,
  'thread-reply': envelopes.ThreadReply,
  'threads-reply': envelopes.ThreadsReply,
  'log-reply': envelopes.LogReply,
  'drain-reply': inbox.DrainReply,
  'unread-reply': inbox.UnreadReply,
  'seen-reply': inbox.SeenReply,
  'verb-reply': frames.VerbReply,
  'subscribe-reply': frames.SubscribeReply,
  'need-reply': needs.Need,
  'needs-reply': needs.NeedsReply,
  'summary-reply': needs.SummaryReply,
  'hook-status-reply': HookStatusReply,
  'health-reply': daemon.HealthReply,
  'server-card-reply': daemon.ServerCard,
  'stop-reply': daemon.StopReply,
  'links-reply': LinksReply,
  'link-state-reply': links.LinkStateReply,
  'link-feed-reply': links.FeedLine,
  'link-records-reply': links.RecordsReply,
  'link-estate-reply': links.EstateReply,
  'link-digest-reply': links.DigestReply,
  error: daemon.ErrorReply,
}

/** What streams and watches say besides frames and envelopes. */
const EVENTS: Table = {
  gap: inbox.GapReply,
  'bye-event': watch.ByeEvent,
  'snapshot-event': watch.WatchSnapshot,
  'passed-event': frames.PassedItem,
  'session-event': watch.SessionChange,
  'need-event': watch.NeedChange,
  'receipt-event': watch.ReceiptChange,
  'forgotten-event': watch.Forgotten,
}

const SCHEMAS: Table = {
  ...FIELDS,
  ...FRAMES,
  ...PAYLOADS,
  ...BODIES,
  ...REPLIES,
  ...EVENTS,
  ...ARGUMENTS,
  ...READING_VERBS,
}

const OF_TEXTS = ['octets', 'unicode'] as const
const OF_PAYLOADS = [...OF_TEXTS, 'intent'] as const

/** What is refused beyond the schemas of a table; of what the daemon itself says, nothing is. */
const UNSAID: readonly (readonly [object, readonly UnsaidRule[]])[] = [
  [FRAMES, ['json', 'size', ...OF_PAYLOADS, 'clock', 'instrument', 'sender', 'scope', 'again']],
  [PAYLOADS, OF_PAYLOADS],
  [BODIES, ['json', ...OF_TEXTS]],
  [ARGUMENTS, ['json', 'size', ...OF_PAYLOADS, 'instrument', 'scope']],
  [READING_VERBS, ['json']],
]

for (const [name, schema] of Object.entries(SCHEMAS)) nameSchema(schema, name)

/** The name under which what a verb takes is published. */
export function verbSchemaName(verb: string): string {
  return isKind(verb) ? `${verb}-verb` : verb
}

/** The names `GET /v1/schemas/{name}` knows, those of envelopes aside. */
export const SCHEMA_NAMES: readonly string[] = [...Object.keys(GRAMMARS), ...Object.keys(SCHEMAS)]

/** @returns undefined for a name that is not published */
export function findJsonSchema(name: string): JsonSchema | undefined {
  const schema = Object.hasOwn(SCHEMAS, name) ? SCHEMAS[name] : undefined
  const said = schema === undefined ? findGrammar(name) : toJsonSchema(schema)
  if (said === undefined) return undefined
  const [, unsaid] = UNSAID.find(([table]) => Object.hasOwn(table, name)) ?? []
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:agentd:schema:${name}`,
    ...(unsaid !== undefined && { description: describeUnsaid(unsaid) }),
    ...said,
  }
}

function findGrammar(name: string): JsonSchema | undefined {
  return Object.hasOwn(GRAMMARS, name) ? GRAMMARS[name] : undefined
}
