/**
 * What a reader cannot get any more, in one sentence.
 */
import type { Gap, GapReason } from '../../client/index.ts'
import { formatCount } from '../terminal/counts.ts'

const WHY: Readonly<Record<GapReason, string>> = {
  trimmed: 'no longer retained',
  epoch: 'the daemon was restarted and kept nothing',
  'unknown-id': 'the place to go on from is not known',
  overflow: 'this reader was too slow',
  rollback: 'the daemon lost its newest frames',
  corrupt: 'the store was damaged',
}

/** `-- 23 frames are missing here: no longer retained` */
export function formatGap({ reason, missed }: Gap): string {
  const what = missed === null ? 'frames may be missing here' : `${formatCount(missed, 'frame')} missing here`
  return `-- ${what}: ${WHY[reason]}`
}
