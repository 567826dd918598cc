/**
 * The route of the Model Context Protocol, and what a pipe tells of its surroundings.
 *
 * @see docs/http.md §10 "MCP"; OP-08
 */
import * as z from 'zod'
import { AgentdError } from '../../core/errors.ts'
import { MAX_SURROUNDINGS_LENGTH } from '../../core/limits.ts'
import { tryParseJson } from '../../core/text/json-object.ts'
import { SURROUNDINGS_HEADER } from '../http/headers.ts'
import { MEDIA_NDJSON } from '../http/media.ts'
import type { Route } from './route.ts'

/** Text of one value: a path, or the id of a session. */
const Value = z.string().max(1_024)

/** What a pipe says of the process whose child it is. */
export const McpSurroundings = z.strictObject({
  /** Where it works, absolute. */
  cwd: Value.optional(),
  /** The runtime's process, whose life is the session's. */
  pid: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .optional(),
  /** Variables that name the session that calls. */
  env: z.record(z.string().max(64), Value).default({}),
})

export type McpSurroundings = z.infer<typeof McpSurroundings>

/** `POST /v1/mcp`: `memo` for the verbs of the memo by its names; agentd's own tools otherwise (AC-172). */
export const McpQuery = z.strictObject({ verbs: z.literal('memo').optional() })

/** Name → route; part of the table in `routes.ts`. */
export const MCP_ROUTES = {
  openMcp: {
    method: 'POST',
    path: '/v1/mcp',
    summary: 'The tools of an agent runtime: MCP as NDJSON, full duplex',
    auth: 'caller',
    query: McpQuery,
    takes: [MEDIA_NDJSON],
    answers: MEDIA_NDJSON,
  },
} satisfies Readonly<Record<string, Route>>

/**
 * Reads the header; without one, nothing is said.
 *
 * @throws AgentdError `field-invalid`, field `agentd-surroundings`
 */
export function decodeSurroundings(header: string | undefined): McpSurroundings {
  if (header === undefined) return { env: {} }
  if (header.length <= MAX_SURROUNDINGS_LENGTH) {
    const read = McpSurroundings.safeParse(tryParseJson(Buffer.from(header, 'base64url').toString()))
    if (read.success) return read.data
  }
  throw new AgentdError(
    'field-invalid',
    `"${SURROUNDINGS_HEADER}" is base64url of {"cwd","pid","env"}, at most ${MAX_SURROUNDINGS_LENGTH} characters.`,
    { field: SURROUNDINGS_HEADER },
  )
}
