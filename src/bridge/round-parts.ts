/**
 * What the writer and the reader of one round have.
 */
import type { Clock } from '../core/clock.ts'
import type { LinkFile } from '../link/link-file.ts'
import type { Bucket } from './bucket.ts'
import type { Condition } from './condition.ts'
import type { Door } from './daemon/door.ts'
import type { Hub } from './hub/hub.ts'

export interface RoundParts {
  readonly door: Door
  readonly hub: Hub
  readonly link: LinkFile
  readonly clock: Clock
  readonly bucket: Bucket
  readonly condition: Condition
  /** What went wrong beside the way of the one who noticed. */
  readonly onFault: (error: unknown) => void
}
