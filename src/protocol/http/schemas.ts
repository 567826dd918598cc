/**
 * The published JSON Schemas (draft 2020-12): the frame, each payload, every request and reply, each verb.
 */
import * as z from 'zod'
import { Frame } from '../frame/frame.ts'
import { KINDS, KIND_NAMES, isKind } from '../frame/kinds.ts'
import { ErrorReply } from './replies.ts'
import * as replies from './replies.ts'
import * as requests from './requests.ts'
import { READING_VERBS, VERBS } from '../verb/verbs.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** Name → schema. A payload goes by its kind, a verb by its name, with `-verb` where a kind is called the same. */
const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  frame: Frame,
  ...Object.fromEntries(KIND_NAMES.map((kind) => [kind, KINDS[kind].payload])),
  submission: requests.SubmissionRequest,
  'submission-reply': replies.SubmissionReply,
  session: requests.SessionRequest,
  'session-reply': replies.SessionReply,
  'self-reply': replies.SelfReply,
  'roster-reply': replies.RosterReply,
  'history-reply': replies.HistoryReply,
  'forget-reply': replies.ForgetReply,
  'receipts-reply': replies.ReceiptsReply,
  'envelope-reply': replies.EnvelopeReply,
  'envelope-receipts-reply': replies.EnvelopeReceiptsReply,
  'thread-reply': replies.ThreadReply,
  'log-reply': replies.LogReply,
  drain: requests.DrainRequest,
  'drain-reply': replies.DrainReply,
  'unread-reply': replies.UnreadReply,
  seen: requests.SeenRequest,
  'seen-reply': replies.SeenReply,
  'verb-reply': replies.VerbReply,
  'subscribe-reply': replies.SubscribeReply,
  'health-reply': replies.HealthReply,
  gap: replies.GapReply,
  error: ErrorReply,
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
