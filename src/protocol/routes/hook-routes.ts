/**
 * The rows of the route table that hooks of agent runtimes use.
 *
 * @see docs/http.md §12; OP-01, OP-07
 */
import * as z from 'zod'
import { MEDIA_JSON, MEDIA_TEXT } from '../http/media.ts'
import { NoQuery } from '../http/requests.ts'
import type { Route } from './route.ts'

/** Characters of a runtime's own id of a session. */
const MAX_RUNTIME_SESSION_CHARS = 256

const RuntimeSession = z.string().min(1).max(MAX_RUNTIME_SESSION_CHARS)

/** `GET /v1/hooks/{runtime}/wait`: the runtime's own id of the session. */
export const HookWaitQuery = z.strictObject({ session: RuntimeSession })

/** `GET /v1/hooks/{runtime}`: whose session is asked after, if anybody's. */
export const HookQuery = z.strictObject({ session: RuntimeSession.optional() })

/** What is known of a runtime's hooks, and of the session that they registered under an id. */
export const HookStatusReply = z.object({
  /** When an event of the runtime last came; null for none that is remembered. */
  last_heard_at: z.string().nullable(),
  /** How many sessions of it are there. */
  sessions: z.int(),
  /** Whoever has the token speaks as the session; null where there is none of that id, or none was asked after. */
  session: z.object({ address: z.string(), token: z.string() }).nullable(),
})
export type HookStatusReply = z.infer<typeof HookStatusReply>

/** Name → route. */
export const HOOK_ROUTES = {
  answerHook: {
    method: 'POST',
    path: '/v1/hooks/{runtime}',
    summary: 'Answer an event of an agent runtime with what its hook has to print; 204 for nothing',
    auth: 'caller',
    query: NoQuery,
    takes: [MEDIA_JSON],
    answers: MEDIA_JSON,
    statuses: [200, 204],
  },
  getHook: {
    method: 'GET',
    path: '/v1/hooks/{runtime}',
    summary: 'When hooks of a runtime were last heard, and the session they registered under an id',
    auth: 'caller',
    query: HookQuery,
    takes: [],
    reply: HookStatusReply,
    answers: MEDIA_JSON,
  },
  waitHook: {
    method: 'GET',
    path: '/v1/hooks/{runtime}/wait',
    summary: 'Answer when something urgent waits for the idle session, with what it is woken with',
    auth: 'caller',
    query: HookWaitQuery,
    takes: [],
    answers: MEDIA_TEXT,
    statuses: [200, 204],
  },
} as const satisfies Readonly<Record<string, Route>>
