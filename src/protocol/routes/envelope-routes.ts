/**
 * The rows of the route table that are about envelopes.
 *
 * @see docs/http.md §9
 */
import { MEDIA_JSON, MEDIA_NDJSON } from '../http/media.ts'
import {
  EnvelopeReceiptsReply,
  EnvelopeReply,
  LogReply,
  ThreadReply,
  ThreadsReply,
} from '../http/envelope-replies.ts'
import { RECEIPTS_RULES } from '../http/query-rules.ts'
import { NoQuery, ReceiptsQuery, ThreadQuery, ThreadsQuery } from '../http/requests.ts'
import type { Route } from './route.ts'

/** Name → route. */
export const ENVELOPE_ROUTES = {
  submitEnvelope: {
    method: 'POST',
    path: '/v1/envelopes',
    summary: 'Submit one AEE envelope, or as NDJSON any number of them, full duplex',
    auth: 'caller',
    query: NoQuery,
    takes: [MEDIA_JSON, MEDIA_NDJSON],
    reply: EnvelopeReply,
    answers: MEDIA_JSON,
  },
  getEnvelope: {
    method: 'GET',
    path: '/v1/envelopes/{id}',
    summary: 'A retained envelope, as it was submitted',
    auth: 'caller',
    query: NoQuery,
    takes: [],
    answers: MEDIA_JSON,
  },
  getEnvelopeReceipts: {
    method: 'GET',
    path: '/v1/envelopes/{id}/receipts',
    summary: 'What became of an envelope at each recipient',
    auth: 'caller',
    query: ReceiptsQuery,
    rules: RECEIPTS_RULES,
    takes: [],
    reply: EnvelopeReceiptsReply,
    answers: MEDIA_JSON,
  },
  getThreads: {
    method: 'GET',
    path: '/v1/threads',
    summary: 'The workflows of retained envelopes, that with the newest one first',
    auth: 'caller',
    query: ThreadsQuery,
    takes: [],
    reply: ThreadsReply,
    answers: MEDIA_JSON,
  },
  getThread: {
    method: 'GET',
    path: '/v1/threads/{corr}',
    summary: 'The retained envelopes of one workflow, in causal order',
    auth: 'caller',
    query: ThreadQuery,
    takes: [],
    reply: ThreadReply,
    answers: MEDIA_JSON,
  },
  submitLog: {
    method: 'POST',
    path: '/v1/log',
    summary: 'Take MVE-5 log lines, one or as NDJSON any number; they are never routed',
    auth: 'caller',
    query: NoQuery,
    takes: [MEDIA_JSON, MEDIA_NDJSON],
    reply: LogReply,
    answers: MEDIA_JSON,
  },
} satisfies Readonly<Record<string, Route>>
