/**
 * What a reader cannot get any more, in one sentence.
 */
import { formatCount } from '../../core/text/counts.ts'
import type { Gap, GapReason } from './encoder.ts'

const WHY: Readonly<Record<GapReason, string>> = {
  trimmed: 'no longer retained',
  epoch: 'the daemon was restarted and kept nothing',
  'unknown-id': 'the place to go on from is not known',
  overflow: 'this reader was too slow',
  rollback: 'the daemon lost its newest frames',
  corrupt: 'the store was damaged',
  remote: 'no longer retained',
}

/** `-- 23 frames are missing here: no longer retained` */
export function formatGap({ reason, missed, node }: Pick<Gap, 'reason' | 'missed' | 'node'>): string {
  const whose = node === undefined ? 'frames' : `frames of ${node}`
  const what =
    missed === null ? `${whose} may be missing here` : `${formatCount(missed, 'frame')} missing here`
  return `-- ${what}: ${WHY[reason]}`
}

/** Whether a text is one of the reasons; a newer daemon may know more of them. */
export function isGapReason(text: string): text is GapReason {
  return Object.hasOwn(WHY, text)
}
