/**
 * What submits a frame carries: the wrapper, or the frame itself.
 *
 * @see docs/http.md §5; ACQ-02
 */
import * as z from 'zod'
import { Frame } from '../frame/frame.ts'
import { octets } from '../fields.ts'

/** `POST /v1/frames` (docs/http.md §5, ACQ-02). */
export const SubmissionRequest = z.strictObject({ recipient_scope: octets(1, 512).optional(), frame: Frame })

/** The same, or the frame itself with its scope in the query. */
export const SubmissionBody = z.union([SubmissionRequest, Frame])

/** What a submission may say beside its body: the wrapper's scope, for who sends a frame without one. */
export const SubmissionQuery = z.strictObject({ recipient_scope: z.string().optional() })
