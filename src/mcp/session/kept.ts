/**
 * What the pipe keeps for its connection, so that the daemon that comes next goes on with it: which sessions were
 * registered over it, and the name that was given once. A line of its own, which no host sees.
 *
 * @see docs/http.md §10 "MCP"; OP-08
 */
import * as z from 'zod'
import { tryParseJson } from '../../core/text/json-object.ts'
import { MAX_KEPT_OCTETS } from './bounds.ts'

/** How such a line begins; nothing of JSON-RPC does. */
const KEPT_MARK = '{"agentd":'

const KeptSession = z.object({
  key: z.string(),
  token: z.string(),
  /** Leases taken over the connection, by `leaseKey`. */
  leases: z.array(z.string()),
})

const Kept = z.object({
  /** What the model called itself, where its host says nothing. */
  name: z.string().optional(),
  sessions: z.array(KeptSession),
})

const KeptLine = z.object({ agentd: Kept })

/** A session that was registered over the connection. */
export type KeptSession = z.infer<typeof KeptSession>

/** All that is kept. */
export type Kept = z.infer<typeof Kept>

/** The line, without its end. Beyond its bound, leases are left out first: they end by themselves. */
export function encodeKept({ name, sessions }: Kept): string {
  const line = JSON.stringify({ agentd: { name, sessions } })
  if (line.length <= MAX_KEPT_OCTETS) return line
  return JSON.stringify({ agentd: { name, sessions: sessions.map((one) => ({ ...one, leases: [] })) } })
}

/** Whether a line is one of these; with its end or without. */
export function isKept(line: Buffer): boolean {
  return line.subarray(0, KEPT_MARK.length).toString('latin1') === KEPT_MARK
}

/** The inverse of {@link encodeKept}; undefined for what is none. */
export function decodeKept(line: Buffer): Kept | undefined {
  return KeptLine.safeParse(tryParseJson(line.toString())).data?.agentd
}
