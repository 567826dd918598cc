/**
 * What requests for workflows carry (docs/http.md §9).
 */
import * as z from 'zod'
import {
  DEFAULT_LISTED_THREADS,
  DEFAULT_THREAD_ITEMS,
  MAX_LISTED_THREADS,
  MAX_THREAD_ITEMS,
} from '../../core/limits.ts'
import { count } from './requests.ts'

/** `GET /v1/threads/{corr}`: a page of a workflow in causal order. */
export const ThreadQuery = z.strictObject({
  after: z.string().optional(),
  limit: count(1, MAX_THREAD_ITEMS).default(DEFAULT_THREAD_ITEMS),
})

/** `GET /v1/threads`: a page of the workflows, that with the newest envelope first (W-5). */
export const ThreadsQuery = z.strictObject({
  before: z.string().optional(),
  limit: count(1, MAX_LISTED_THREADS).default(DEFAULT_LISTED_THREADS),
  /** Only those with a task that has not come to its end. */
  open: z.literal('true').optional(),
})
