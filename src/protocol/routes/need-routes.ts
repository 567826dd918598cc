/**
 * The paths of what needs the person.
 *
 * @see docs/http.md §7, W-3, W-6
 */
import { MEDIA_JSON } from '../http/media.ts'
import { NeedsReply, SummaryReply } from '../http/need.ts'
import { NoQuery } from '../http/requests.ts'
import type { Route } from './route.ts'

/** Name → route, as in `ROUTES`. */
export const NEED_ROUTES = {
  getNeeds: {
    method: 'GET',
    path: '/v1/needs',
    summary: 'What needs the person: questions, decisions, approvals, sessions at a prompt of their own',
    auth: 'caller',
    query: NoQuery,
    takes: [],
    reply: NeedsReply,
    answers: MEDIA_JSON,
  },
  getSummary: {
    method: 'GET',
    path: '/v1/summary',
    summary: 'A few numbers for a prompt or a status line',
    auth: 'caller',
    query: NoQuery,
    takes: [],
    reply: SummaryReply,
    answers: MEDIA_JSON,
  },
} satisfies Readonly<Record<string, Route>>
