/**
 * The route table: every path of the socket, what it takes and what it answers.
 *
 * The router, the OpenAPI document, the client and the documentation test read this one table.
 *
 * @see design/wire.md §§4–8, §10
 */
import type { z } from 'zod'
import {
  DrainRequest,
  ForgetQuery,
  HistoryQuery,
  NoQuery,
  ReceiptsQuery,
  SeenRequest,
  SessionRequest,
  StreamQuery,
  SubmissionRequest,
  WaitQuery,
} from './requests.ts'
import {
  DrainReply,
  ForgetReply,
  HealthReply,
  HistoryReply,
  ReceiptsReply,
  RosterReply,
  SeenReply,
  SelfReply,
  SessionReply,
  SubmissionReply,
  UnreadReply,
  VerbReply,
} from './replies.ts'

export const MEDIA_JSON = 'application/json'
export const MEDIA_NDJSON = 'application/x-ndjson'
export const MEDIA_TEXT = 'text/plain'
export const MEDIA_SSE = 'text/event-stream'
export const MEDIA_METRICS = 'text/plain; version=0.0.4; charset=utf-8'

/** One path with one method. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Segments in braces are parameters. */
  readonly path: string
  readonly summary: string
  /** `open`: no token even under `auth: "session"`; `session`: only with a token; `caller`: either. */
  readonly auth: 'open' | 'caller' | 'session'
  readonly query: z.ZodType
  /** Media types of the request body; none for a route without one. */
  readonly takes: readonly string[]
  readonly request?: z.ZodType
  /** Shape of the answer, where it is JSON. */
  readonly reply?: z.ZodType
  readonly answers: string
}

/** Name → route. The names are the server's handlers, one each. */
export const ROUTES = {
  openSession: {
    method: 'POST',
    path: '/v1/sessions',
    summary: 'Register a session, update it with its token, or take it over from a dead holder',
    auth: 'open',
    query: NoQuery,
    takes: [MEDIA_JSON],
    request: SessionRequest,
    reply: SessionReply,
    answers: MEDIA_JSON,
  },
  getSelf: {
    method: 'GET',
    path: '/v1/sessions/self',
    summary: 'The session of the token',
    auth: 'session',
    query: NoQuery,
    takes: [],
    reply: SelfReply,
    answers: MEDIA_JSON,
  },
  closeSession: {
    method: 'DELETE',
    path: '/v1/sessions/self',
    summary: 'End the session of the token',
    auth: 'session',
    query: NoQuery,
    takes: [],
    answers: '',
  },
  getRoster: {
    method: 'GET',
    path: '/v1/handles/{handle}/roster',
    summary: 'Who is there: the sessions a scope would expand to',
    auth: 'caller',
    query: NoQuery,
    takes: [],
    reply: RosterReply,
    answers: MEDIA_JSON,
  },
  openStream: {
    method: 'GET',
    path: '/v1/handles/{handle}/stream',
    summary: 'The per-handle stream of Server-Sent Events',
    auth: 'caller',
    query: StreamQuery,
    takes: [],
    answers: MEDIA_SSE,
  },
  submitFrame: {
    method: 'POST',
    path: '/v1/frames',
    summary: 'Submit one frame, or as NDJSON any number of them, full duplex',
    auth: 'caller',
    query: NoQuery,
    takes: [MEDIA_JSON, MEDIA_NDJSON],
    request: SubmissionRequest,
    reply: SubmissionReply,
    answers: MEDIA_JSON,
  },
  getHistory: {
    method: 'GET',
    path: '/v1/frames',
    summary: 'Retained frames, oldest first',
    auth: 'caller',
    query: HistoryQuery,
    takes: [],
    reply: HistoryReply,
    answers: MEDIA_JSON,
  },
  forgetFrames: {
    method: 'DELETE',
    path: '/v1/frames',
    summary: 'Forget retained frames by id, sender, kind or age; only the principal itself may',
    auth: 'caller',
    query: ForgetQuery,
    takes: [],
    reply: ForgetReply,
    answers: MEDIA_JSON,
  },
  getReceipts: {
    method: 'GET',
    path: '/v1/frames/{frame_id}',
    summary: 'What became of a frame at each recipient',
    auth: 'caller',
    query: ReceiptsQuery,
    takes: [],
    reply: ReceiptsReply,
    answers: MEDIA_JSON,
  },
  drainInbox: {
    method: 'POST',
    path: '/v1/inbox/drain',
    summary: 'Hand over what waits in the mailbox, each item once',
    auth: 'session',
    query: NoQuery,
    takes: [MEDIA_JSON],
    request: DrainRequest,
    reply: DrainReply,
    answers: MEDIA_JSON,
  },
  waitInbox: {
    method: 'GET',
    path: '/v1/inbox/wait',
    summary: 'Answer as soon as something is unread',
    auth: 'session',
    query: WaitQuery,
    takes: [],
    reply: UnreadReply,
    answers: MEDIA_JSON,
  },
  markSeen: {
    method: 'POST',
    path: '/v1/seen',
    summary: 'Say which frames this session has seen',
    auth: 'session',
    query: NoQuery,
    takes: [MEDIA_JSON],
    request: SeenRequest,
    reply: SeenReply,
    answers: MEDIA_JSON,
  },
  callVerb: {
    method: 'POST',
    path: '/v1/verbs/{verb}',
    summary: 'Let the daemon compose a frame and submit it',
    auth: 'caller',
    query: NoQuery,
    takes: [MEDIA_JSON, MEDIA_TEXT],
    reply: VerbReply,
    answers: MEDIA_JSON,
  },
  getHealth: {
    method: 'GET',
    path: '/v1/health',
    summary: 'How the daemon is, and who it is',
    auth: 'open',
    query: NoQuery,
    takes: [],
    reply: HealthReply,
    answers: MEDIA_JSON,
  },
  getMetrics: {
    method: 'GET',
    path: '/v1/metrics',
    summary: 'Counters in Prometheus text',
    auth: 'caller',
    query: NoQuery,
    takes: [],
    answers: MEDIA_METRICS,
  },
  getSchema: {
    method: 'GET',
    path: '/v1/schemas/{name}',
    summary: 'JSON Schema of the frame, a payload, a request or a reply',
    auth: 'caller',
    query: NoQuery,
    takes: [],
    answers: 'application/schema+json',
  },
  getOpenApi: {
    method: 'GET',
    path: '/v1/openapi.json',
    summary: 'This table as an OpenAPI document',
    auth: 'caller',
    query: NoQuery,
    takes: [],
    answers: MEDIA_JSON,
  },
} satisfies Readonly<Record<string, Route>>

export type RouteName = keyof typeof ROUTES
