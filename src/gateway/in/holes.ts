/**
 * What is missing in front of a batch.
 *
 * @see FED-28
 */
import type { MissingRange } from '../../broker/origins/origins.ts'
import { readEventId } from '../../protocol/address/event-id.ts'
import type { BatchHead } from '../../link/batch.ts'

/**
 * @param marks - of the batch's lane: the newest place known of each epoch; a lane that is not known yet misses nothing
 */
export function holeBefore(
  { epoch, prev, clean }: Pick<BatchHead, 'epoch' | 'prev' | 'clean'>,
  marks: ReadonlyMap<string, number> | undefined,
): MissingRange | undefined {
  if (marks === undefined || marks.size === 0) return undefined
  const mark = marks.get(epoch)
  const before = prev === null ? undefined : readEventId(prev)
  if (mark === undefined) {
    // Another life of the counter: what the former one ended with was all confirmed, or is lost.
    if (clean) return undefined
    const [former, seq] = [...marks].at(-1) ?? []
    return { from: former === undefined ? null : `${former}-${seq}`, to: prev ?? `${epoch}-0` }
  }
  if (before === undefined || before.epoch !== epoch || before.seq <= mark) return undefined
  return { from: `${epoch}-${mark}`, to: `${epoch}-${before.seq}` }
}
