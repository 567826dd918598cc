/**
 * Marks: of each lane and each life of its origin's counter, the highest place that was applied here. What is at or under its
 * mark is a repeat, of any age; what lies between a mark and what comes next is a hole.
 *
 * Former epochs keep theirs, since reading from the beginning brings their batches again.
 *
 * @see FED-27, FED-28
 */
import { formatEventId, readEventId } from '../protocol/address/event-id.ts'
import type { BatchHead } from './batch.ts'

/** Epoch → the highest sequence number applied, in the order in which the epochs came. */
export type LaneMarks = ReadonlyMap<string, number>

/** What is missing: behind one place, up to another and with it. */
export interface MissingPlaces {
  /** The last that is here; null where nothing of the lane is. */
  readonly from: string | null
  readonly to: string
}

/** Whether a record is new here. @param marks - of its lane @param eventId - its place at the origin */
export function judge(marks: LaneMarks | undefined, eventId: string): 'new' | 'repeat' {
  const { epoch, seq } = readEventId(eventId) ?? { epoch: '', seq: 0 }
  return seq > (marks?.get(epoch) ?? 0) ? 'new' : 'repeat'
}

/**
 * What is missing in front of a batch; undefined where nothing is.
 *
 * @param marks - of the batch's lane; undefined or empty where nothing of it was ever applied here
 */
export function holeBefore(
  { epoch, prev, clean }: Pick<BatchHead, 'epoch' | 'prev' | 'clean'>,
  marks: LaneMarks | undefined,
): MissingPlaces | undefined {
  const before = prev === null ? undefined : readEventId(prev)
  const mark = marks?.get(epoch)
  const former = [...(marks ?? [])].at(-1)
  if (mark !== undefined) {
    const isNext = before === undefined || before.epoch !== epoch || before.seq <= mark
    return isNext ? undefined : { from: formatEventId(epoch, mark), to: formatEventId(epoch, before.seq) }
  }
  // A lane that nobody here knows has lost nothing where it begins.
  if (former === undefined) return prev === null ? undefined : { from: null, to: prev }
  // An epoch that lost nothing goes on with the numbers of the former one.
  if (clean && (before === undefined || before.seq <= former[1])) return undefined
  return { from: formatEventId(...former), to: prev ?? formatEventId(epoch, 0) }
}
