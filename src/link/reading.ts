/**
 * Where reading goes on: at the cursor's own message, if that is what the stream has there. Anything else is a doubt, and a
 * doubt is answered by reading from the beginning; marks make that safe.
 *
 * @see FED-26
 */

import type { BatchHead } from './batch.ts'

/** A message of a stream: the engine's number, and whose it is. */
export interface ReadPlace {
  readonly seq: number
  readonly node: string
  /** As {@link stampOf}; where the stream was empty when it was joined, nothing. */
  readonly last: string | null | undefined
}

/**
 * What tells a batch from another one of its node. The place of its last record alone does not: a hub that comes back with an
 * older disk is written anew, and a batch that ends with the same record may then stand where another one stood, in front
 * of what was never read.
 */
export function stampOf({ last, sent_at: sentAt }: Pick<BatchHead, 'last' | 'sent_at'>): string {
  return `${last ?? ''}@${sentAt}`
}

/**
 * @param cursor - the last message that was taken
 * @param first - what the stream gives when it is asked for that one; undefined where it ends before it
 */
export function decideReading(
  cursor: ReadPlace,
  first: ReadPlace | undefined,
): 'go-on' | 'from-the-beginning' {
  const isThat =
    first?.seq === cursor.seq &&
    first.node === cursor.node &&
    (first.last ?? undefined) === (cursor.last ?? undefined)
  return isThat ? 'go-on' : 'from-the-beginning'
}
