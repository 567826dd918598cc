/**
 * The route table: every path of the socket, what it takes and what it answers, for
 * router, OpenAPI document, client and documentation test alike.
 *
 * @see docs/http.md §§4–10
 */
import { ENVELOPE_ROUTES } from './envelope-routes.ts'
import { FRAME_ROUTES } from './frame-routes.ts'
import { HOOK_ROUTES } from './hook-routes.ts'
import { INBOX_ROUTES } from './inbox-routes.ts'
import { LINK_ROUTES } from './link-routes.ts'
import { MCP_ROUTES } from './mcp-routes.ts'
import { MEDIA_FORM, MEDIA_JSON, MEDIA_METRICS, MEDIA_SSE, MEDIA_TEXT } from '../http/media.ts'
import { NEED_ROUTES } from './need-routes.ts'
import { ROSTER_RULES, STREAM_RULES } from '../http/query-rules.ts'
import type { Route } from './route.ts'
import { WATCH_ROUTES } from './watch-routes.ts'
import { ActivityRequest, NoQuery, RosterQuery, SessionRequest, StreamQuery } from '../http/requests.ts'
import { HealthReply, ServerCard, StopReply } from '../http/daemon-replies.ts'
import { VerbReply } from '../http/frame-replies.ts'
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
    statuses: [200, 201],
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
    rules: ROSTER_RULES,
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
    rules: STREAM_RULES,
    takes: [],
    answers: MEDIA_SSE,
  },
  ...FRAME_ROUTES,
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
    reply: VerbReply,
    answers: MEDIA_JSON,
    mayAnswer: MEDIA_TEXT,
  },
  ...MCP_ROUTES,
  ...NEED_ROUTES,
  ...LINK_ROUTES,
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
  getServerCard: {
    method: 'GET',
    path: '/.well-known/mcp/server-card.json',
    summary: 'Where this daemon is to be asked, and for whom, as a card of an MCP server',
    auth: 'caller',
    query: NoQuery,
    takes: [],
    reply: ServerCard,
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
