/**
 * The rows of the route table for whoever looks on: a person's page or terminal.
 *
 * @see docs/http.md §6, W-1
 */
import { MEDIA_SSE } from '../http/media.ts'
import { WatchQuery } from '../http/requests.ts'
import type { Route } from './route.ts'

/** Name → route. */
export const WATCH_ROUTES = {
  openWatch: {
    method: 'GET',
    path: '/v1/watch',
    summary: 'Everything that passes, without being a recipient, as Server-Sent Events',
    auth: 'caller',
    query: WatchQuery,
    takes: [],
    answers: MEDIA_SSE,
  },
} satisfies Readonly<Record<string, Route>>
