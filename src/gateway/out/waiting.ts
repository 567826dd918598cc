/**
 * How much may leave and is not on the hub yet, and how old the oldest of it is.
 *
 * @see FED-65
 */
import type { RingView } from '../../broker/ports.ts'
import type { Retained } from '../../broker/ring/retained.ts'

/** Places looked at for it; where there are more, as many are told. */
const MAX_LOOKED_AT = 4_096

const PAGE_ITEMS = 256

export interface Backlog {
  readonly waiting: number
  /** When the oldest was accepted, wall time in milliseconds; undefined for none. */
  readonly oldestMs: number | undefined
}

export function backlogAfter(
  seq: number,
  {
    ring,
    leaving,
  }: { readonly ring: RingView; readonly leaving: { textOf(retained: Retained): string | undefined } },
): Backlog {
  let [cursor, looked, waiting] = [seq, 0, 0]
  let oldestMs: number | undefined
  while (looked < MAX_LOOKED_AT) {
    const page = ring.read(cursor, PAGE_ITEMS)
    if (page.length === 0) break
    for (const retained of page) {
      cursor = retained.seq
      looked += 1
      if (leaving.textOf(retained) === undefined) continue
      waiting += 1
      oldestMs ??= retained.acceptedAtMs
    }
  }
  return { waiting, oldestMs }
}
