/**
 * The routes of a mailbox: what waits in it, and what was seen.
 *
 * @see docs/http.md §7
 */
import { DrainReply, SeenReply, UnreadReply } from '../http/inbox-replies.ts'
import { MEDIA_JSON } from '../http/media.ts'
import { DrainRequest, NoQuery, SeenRequest, WaitQuery } from '../http/requests.ts'
import type { Route } from './route.ts'

/** Name → route; part of the table in `routes.ts`. */
export const INBOX_ROUTES = {
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
} satisfies Readonly<Record<string, Route>>
