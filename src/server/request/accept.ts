/** What the sender of a request would rather read. */
import type { IncomingMessage } from 'node:http'

/**
 * Whether `Accept` names this media type, and does not name the other one before it. Weights are not looked at: nobody who
 * has two of them to choose from writes any.
 */
export function prefers(
  { headers }: Pick<IncomingMessage, 'headers'>,
  wanted: string,
  otherwise: string,
): boolean {
  const named = (headers.accept ?? '')
    .split(',')
    .map((part) => (part.split(';')[0] ?? '').trim().toLowerCase())
  return named.find((type) => type === wanted || type === otherwise) === wanted
}
