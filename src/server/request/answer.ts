/**
 * What a handler answers: a value. One place writes it.
 */

export type RouteAnswer =
  | { readonly kind: 'json'; readonly status: number; readonly body: unknown; readonly mediaType?: string }
  /** JSON that is already text, such as a page of retained frames. */
  | { readonly kind: 'text'; readonly status: number; readonly text: string; readonly mediaType: string }
  /** The same as it goes out: a long page whose items were written in the steps that read them. */
  | { readonly kind: 'octets'; readonly status: number; readonly octets: Buffer; readonly mediaType: string }
  | { readonly kind: 'empty'; readonly status: number }
  /** The handler has taken the connection over: a stream. */
  | { readonly kind: 'taken' }

export const TAKEN: RouteAnswer = { kind: 'taken' }

export function json(body: unknown, status = 200): RouteAnswer {
  return { kind: 'json', status, body }
}
