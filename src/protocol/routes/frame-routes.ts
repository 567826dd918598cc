/**
 * The rows of the route table that are about frames.
 *
 * @see docs/http.md §5
 */
import * as frames from '../http/frame-replies.ts'
import { MEDIA_AGENT, MEDIA_JSON, MEDIA_NDJSON, MEDIA_TEXT } from '../http/media.ts'
import { FORGET_RULES, RECEIPTS_RULES, SUBMISSION_RULES } from '../http/query-rules.ts'
import { ForgetQuery, HistoryQuery, NoQuery, ReceiptsQuery } from '../http/requests.ts'
import { SubmissionBody, SubmissionQuery } from '../http/submission-requests.ts'
import type { Route } from './route.ts'

/** Name → route. */
export const FRAME_ROUTES = {
  submitFrame: {
    method: 'POST',
    path: '/v1/frames',
    summary: 'Submit one frame, or as NDJSON any number of them, full duplex',
    auth: 'caller',
    query: SubmissionQuery,
    rules: SUBMISSION_RULES,
    takes: [MEDIA_JSON, MEDIA_NDJSON, MEDIA_AGENT],
    request: SubmissionBody,
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
    rules: FORGET_RULES,
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
    rules: RECEIPTS_RULES,
    takes: [],
    reply: frames.ReceiptsReply,
    answers: MEDIA_JSON,
  },
  getFrameText: {
    method: 'GET',
    path: '/v1/frames/{frame_id}/text',
    summary: 'The text of a handover, whole and as it was written',
    auth: 'caller',
    query: NoQuery,
    takes: [],
    reply: frames.FrameTextReply,
    answers: MEDIA_JSON,
    mayAnswer: MEDIA_TEXT,
  },
} satisfies Readonly<Record<string, Route>>
