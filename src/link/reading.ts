/**
 * Where reading goes on: at the cursor's own message, if that is what the stream has there. Anything else is a doubt, and a
 * doubt is answered by reading from the beginning; marks make that safe.
 *
 * @see FED-26
 */

/** A message of a stream: the engine's number, and what its head says. */
export interface ReadPlace {
  readonly seq: number
  readonly node: string
  readonly last: string | null | undefined
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
