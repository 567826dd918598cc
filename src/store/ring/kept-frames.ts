/**
 * What the ring on disk keeps of frames beside their rows, which every change of the rows changes as well.
 */
import type { LookBack } from '../../broker/ring/look-back.ts'
import type { StoreFile } from '../file/store-file.ts'
import type { Extent } from './extent.ts'
import type { SqliteOrigins } from './sqlite-origins.ts'
import type { Tail } from './tail.ts'
import type { Trimming } from './trimming.ts'

export interface KeptFrames {
  readonly file: StoreFile
  /** The newest, in memory. */
  readonly tail: Tail
  readonly trimming: Trimming
  readonly extent: Extent
  /** What stands at each place. */
  readonly lookBack: LookBack
  /** Which node each came from, and how far its lanes have been applied. */
  readonly origins: SqliteOrigins
}
