/**
 * Whether every row is what was written, for a store that is looked over whole (HD-14).
 */
import { AudienceRows } from './audience-rows.ts'
import { toFrameRow } from './row.ts'
import type { Statements } from './statements.ts'
import { fromRow } from './stored-item.ts'

/** To SQLite, no limit. */
const ALL = -1

/** Reads every frame and envelope, and whom it reached. @throws DamagedRow at the first that is not what was written */
export function requireSoundRows(statements: Statements): void {
  const audiences = new AudienceRows(statements)
  for (const columns of statements.after.iterate(0, ALL)) {
    const row = toFrameRow(columns)
    // Whom it reached is only loaded where somebody looks.
    void fromRow(row, () => audiences.deliveryOf(row)).delivery
  }
}
