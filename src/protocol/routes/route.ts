/** What a row of the route table says. */
import type { z } from 'zod'
import type { QueryRule } from '../http/query-rules.ts'

/** One path with one method. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Segments in braces are parameters. */
  readonly path: string
  readonly summary: string
  /**
   * `open`: for everybody, even under `auth: "session"`; `session`: only with a token; `caller`: either, or the person's
   * key; `link`: only the bridge of a link, with the token it was started with.
   */
  readonly auth: 'open' | 'caller' | 'session' | 'link'
  /** Whether there is such a path only where a link is configured (FED-01). */
  readonly onlyLinked?: true
  readonly query: z.ZodType
  /** What holds of its parameters together. */
  readonly rules?: readonly QueryRule[]
  /** Media types of the request body; none for a route without one. */
  readonly takes: readonly string[]
  readonly request?: z.ZodType
  /** Shape of the answer, where it is JSON. */
  readonly reply?: z.ZodType
  readonly answers: string
  /** The HTTP statuses of an answer that is no refusal; absent, 200, or 204 where there is nothing to answer. */
  readonly statuses?: readonly (200 | 201 | 204)[]
  /** What it answers to who accepts it and does not name `answers` before it. */
  readonly mayAnswer?: string
}
