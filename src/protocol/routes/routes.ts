/**
 * The route table: every path of the socket, what it takes and what it answers, for
 * router, OpenAPI document, client and documentation test alike.
 *
 * @see docs/http.md §§4–10
 */
import { ENVELOPE_ROUTES } from './envelope-routes.ts'
import { HOOK_ROUTES } from './hook-routes.ts'
import { INBOX_ROUTES } from './inbox-routes.ts'
import { MCP_ROUTES } from './mcp-routes.ts'
import { MEDIA_FORM, MEDIA_JSON, MEDIA_METRICS, MEDIA_NDJSON, MEDIA_SSE, MEDIA_TEXT } from '../http/media.ts'
import { NEED_ROUTES } from './need-routes.ts'
import type { Route } from './route.ts'
import { WATCH_ROUTES } from './watch-routes.ts'
import {
  ActivityRequest,
  ForgetQuery,
  HistoryQuery,
  NoQuery,
  ReceiptsQuery,
  RosterQuery,
  SessionRequest,
  StreamQuery,
  SubmissionRequest,
} from '../http/requests.ts'
import { HealthReply, StopReply } from '../http/daemon-replies.ts'
import * as frames from '../http/frame-replies.ts'
import { RosterEntry, RosterReply, SelfReply, SessionReply } from '../http/session-replies.ts'

/** Name → route. The names are the server's handlers, one each. */
export const ROUTES = {
  openSession: {
    method: 'POST',
    path: '/v1/sessions',
    summary: 'Register a session, update it with its token, or take it over from a dead holder',
    auth: 'caller',
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
  setActivity: {
    method: 'POST',
    path: '/v1/sessions/self/activity',
    summary: 'Say what the session does: working, waiting at its own prompt, or idle',
    auth: 'session',
    query: NoQuery,
    takes: [MEDIA_JSON],
    request: ActivityRequest,
    answers: '',
  },
  endSession: {
    method: 'DELETE',
    path: '/v1/sessions/{address}',
    summary: 'End the session of an address; only the principal itself may',
    auth: 'caller',
    query: NoQuery,
    takes: [],
    answers: '',
  },
  getRoster: {
    method: 'GET',
    path: '/v1/handles/{handle}/roster',
    summary: 'Who is there: a page of the sessions a scope would expand to',
    auth: 'caller',
    query: RosterQuery,
    takes: [],
    reply: RosterReply,
    answers: MEDIA_JSON,
  },
  getSession: {
    method: 'GET',
    path: '/v1/handles/{handle}/sessions/{session}',
    summary: 'One session of the roster, with all that it has told of itself',
    auth: 'caller',
    query: NoQuery,
    takes: [],
    reply: RosterEntry,
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
    reply: frames.SubmissionReply,
    answers: MEDIA_JSON,
  },
  getHistory: {
    method: 'GET',
    path: '/v1/frames',
    summary: 'Retained frames, oldest first',
    auth: 'caller',
    query: HistoryQuery,
    takes: [],
    reply: frames.HistoryReply,
    answers: MEDIA_JSON,
  },
  forgetFrames: {
    method: 'DELETE',
    path: '/v1/frames',
    summary: 'Forget what is retained by id, workflow, sender, kind or age; only the principal itself may',
    auth: 'caller',
    query: ForgetQuery,
    takes: [],
    reply: frames.ForgetReply,
    answers: MEDIA_JSON,
  },
  getReceipts: {
    method: 'GET',
    path: '/v1/frames/{frame_id}',
    summary: 'What became of a frame at each recipient',
    auth: 'caller',
    query: ReceiptsQuery,
    takes: [],
    reply: frames.ReceiptsReply,
    answers: MEDIA_JSON,
  },
  ...INBOX_ROUTES,
  ...WATCH_ROUTES,
  ...ENVELOPE_ROUTES,
  ...HOOK_ROUTES,
  callVerb: {
    method: 'POST',
    path: '/v1/verbs/{verb}',
    summary: 'Let the daemon compose a frame and submit it',
    auth: 'caller',
    query: NoQuery,
    takes: [MEDIA_JSON, MEDIA_TEXT, MEDIA_FORM],
    reply: frames.VerbReply,
    answers: MEDIA_JSON,
    mayAnswer: MEDIA_TEXT,
  },
  ...MCP_ROUTES,
  ...NEED_ROUTES,
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
  stopDaemon: {
    method: 'POST',
    path: '/v1/stop',
    summary: 'End the daemon, as SIGTERM does; only the principal itself may',
    auth: 'caller',
    query: NoQuery,
    takes: [],
    reply: StopReply,
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
