/**
 * The rows of the route table for whoever looks on: a person's page or terminal.
 *
 * @see docs/http.md §6, W-1
 */
import { EventReply, EventsReply } from '../http/frame-replies.ts'
import { MEDIA_JSON, MEDIA_SSE } from '../http/media.ts'
import { EVENTS_RULES, WATCH_RULES } from '../http/query-rules.ts'
import { EventsQuery, NoQuery, WatchQuery } from '../http/requests.ts'
import type { Route } from './route.ts'

/** Name → route. */
export const WATCH_ROUTES = {
  openWatch: {
    method: 'GET',
    path: '/v1/watch',
    summary: 'Everything that passes, without being a recipient, as Server-Sent Events',
    auth: 'caller',
    query: WatchQuery,
    rules: WATCH_RULES,
    takes: [],
    answers: MEDIA_SSE,
  },
  getEvents: {
    method: 'GET',
    path: '/v1/events',
    summary: 'Retained frames and envelopes, newest first, by kind, sender, session, workflow or text',
    auth: 'caller',
    query: EventsQuery,
    rules: EVENTS_RULES,
    takes: [],
    reply: EventsReply,
    answers: MEDIA_JSON,
  },
  getEvent: {
    method: 'GET',
    path: '/v1/events/{event_id}',
    summary: 'One retained frame or envelope, and what became of it at each recipient',
    auth: 'caller',
    query: NoQuery,
    takes: [],
    reply: EventReply,
    answers: MEDIA_JSON,
  },
} satisfies Readonly<Record<string, Route>>
