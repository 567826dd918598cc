/**
 * The published JSON Schemas (draft 2020-12): the frame, each payload, every request and reply, each verb.
 */
import * as z from 'zod'
import { Frame } from '../frame/frame.ts'
import { KINDS, KIND_NAMES, isKind } from '../frame/kinds.ts'
import * as daemon from './daemon-replies.ts'
import * as envelopes from './envelope-replies.ts'
import * as frames from './frame-replies.ts'
import * as inbox from './inbox-replies.ts'
import * as needs from './need.ts'
import * as requests from './requests.ts'
import { SubmissionRequest } from './submission-requests.ts'
import * as sessions from './session-replies.ts'
import { READING_VERBS, VERBS } from '../verb/verbs.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** Name → schema. A payload goes by its kind, a verb by its name, with `-verb` where a kind is called the same. */
const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  frame: Frame,
  ...Object.fromEntries(KIND_NAMES.map((kind) => [kind, KINDS[kind].payload])),
  submission: SubmissionRequest,
  'submission-reply': frames.SubmissionReply,
  session: requests.SessionRequest,
  'session-reply': sessions.SessionReply,
  activity: requests.ActivityRequest,
  'self-reply': sessions.SelfReply,
  'roster-reply': sessions.RosterReply,
  'roster-entry-reply': sessions.RosterEntry,
  'history-reply': frames.HistoryReply,
  'forget-reply': frames.ForgetReply,
  'events-reply': frames.EventsReply,
  'event-reply': frames.EventReply,
  'receipts-reply': frames.ReceiptsReply,
  'envelope-reply': envelopes.EnvelopeReply,
  'envelope-receipts-reply': envelopes.EnvelopeReceiptsReply,
  'thread-reply': envelopes.ThreadReply,
  'threads-reply': envelopes.ThreadsReply,
  'log-reply': envelopes.LogReply,
  drain: requests.DrainRequest,
  'drain-reply': inbox.DrainReply,
  'unread-reply': inbox.UnreadReply,
  seen: requests.SeenRequest,
  'seen-reply': inbox.SeenReply,
  'verb-reply': frames.VerbReply,
  'subscribe-reply': frames.SubscribeReply,
  'needs-reply': needs.NeedsReply,
  'summary-reply': needs.SummaryReply,
  'health-reply': daemon.HealthReply,
  'stop-reply': daemon.StopReply,
  gap: inbox.GapReply,
  error: daemon.ErrorReply,
  ...Object.fromEntries(
    Object.entries(VERBS).map(([name, verb]) => [isKind(name) ? `${name}-verb` : name, verb.args]),
  ),
  ...READING_VERBS,
}

/** The names `GET /v1/schemas/{name}` knows. */
export const SCHEMA_NAMES: readonly string[] = Object.keys(SCHEMAS)

/** @returns undefined for a name that is not published */
export function findJsonSchema(name: string): JsonSchema | undefined {
  const schema = Object.hasOwn(SCHEMAS, name) ? SCHEMAS[name] : undefined
  return schema === undefined ? undefined : toJsonSchema(schema)
}

/** A schema as it is on the wire, before defaults are filled in. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input', unrepresentable: 'any' })
}
