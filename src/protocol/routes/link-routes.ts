/**
 * The paths of links. Where no link is configured they are no paths at all (FED-01).
 *
 * @see docs/http.md §13; FED-07, FED-27
 */
import * as link from '../http/link-exchange.ts'
import { LinksReply } from '../http/links-reply.ts'
import { MEDIA_JSON, MEDIA_NDJSON } from '../http/media.ts'
import { NoQuery } from '../http/requests.ts'
import type { Route } from './route.ts'

/** Name → route, as in `ROUTES`. */
export const LINK_ROUTES = {
  getLinks: {
    method: 'GET',
    path: '/v1/links',
    summary: 'The links to other nodes: how each is, what leaves over it, who is at its other ends',
    auth: 'caller',
    onlyLinked: true,
    query: NoQuery,
    takes: [],
    reply: LinksReply,
    answers: MEDIA_JSON,
  },
  getLinkState: {
    method: 'GET',
    path: '/v1/link/state',
    summary: 'For the bridge: cursor, marks and places of its link',
    auth: 'link',
    onlyLinked: true,
    query: NoQuery,
    takes: [],
    reply: link.LinkStateReply,
    answers: MEDIA_JSON,
  },
  openLinkFeed: {
    method: 'GET',
    path: '/v1/link/feed',
    summary: 'For the bridge: what leaves, as it comes, in lines',
    auth: 'link',
    onlyLinked: true,
    query: link.FeedQuery,
    takes: [],
    reply: link.FeedLine,
    answers: MEDIA_NDJSON,
  },
  submitRecords: {
    method: 'POST',
    path: '/v1/link/records',
    summary: 'For the bridge: one batch of another node, as it came',
    auth: 'link',
    onlyLinked: true,
    query: NoQuery,
    takes: [MEDIA_NDJSON],
    request: link.RecordsHead,
    reply: link.RecordsReply,
    answers: MEDIA_JSON,
  },
  notePresence: {
    method: 'POST',
    path: '/v1/link/presence',
    summary: 'For the bridge: who is there on another node',
    auth: 'link',
    onlyLinked: true,
    query: NoQuery,
    takes: [MEDIA_JSON],
    request: link.LinkPresenceRequest,
    answers: '',
  },
  noteEstate: {
    method: 'POST',
    path: '/v1/link/estate',
    summary: 'For the bridge: which nodes the person has',
    auth: 'link',
    onlyLinked: true,
    query: NoQuery,
    takes: [MEDIA_JSON],
    request: link.EstateRequest,
    reply: link.EstateReply,
    answers: MEDIA_JSON,
  },
  getLinkDigest: {
    method: 'GET',
    path: '/v1/link/digest',
    summary: 'For the bridge: the digest of what is retained at a place',
    auth: 'link',
    onlyLinked: true,
    query: link.DigestQuery,
    takes: [],
    reply: link.DigestReply,
    answers: MEDIA_JSON,
  },
  noteAcknowledged: {
    method: 'POST',
    path: '/v1/link/acknowledged',
    summary: 'For the bridge: how far the engine has what was fed',
    auth: 'link',
    onlyLinked: true,
    query: NoQuery,
    takes: [MEDIA_JSON],
    request: link.AcknowledgedRequest,
    answers: '',
  },
  noteCondition: {
    method: 'POST',
    path: '/v1/link/condition',
    summary: 'For the bridge: how the link is',
    auth: 'link',
    onlyLinked: true,
    query: NoQuery,
    takes: [MEDIA_JSON],
    request: link.ConditionRequest,
    answers: '',
  },
} satisfies Readonly<Record<string, Route>>
