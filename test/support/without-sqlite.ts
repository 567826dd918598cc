/**
 * What cannot be tested where there is no SQLite: better-sqlite3 has no binary for this Node, and Node's own will not do.
 *
 * @see R-26
 */
import { loadDriver } from '../../src/store/driver/driver.ts'
import { isSo, verdictOf } from './needs.ts'

/** Files of tests of the store, and of what a daemon does with one; in other files single tests ask {@link keepsFrames}. */
const NEED_SQLITE = [
  'test/store/**',
  'test/contract/answers/**',
  'test/cli/commands/audit/**',
  'test/cli/commands/daemon/store.test.ts',
  'test/client/service/approve-kills.test.ts',
  'test/daemon/start.test.ts',
  'test/daemon/evidence.test.ts',
  'test/daemon/without-koffi.test.ts',
  'test/daemon/serving/handover-*.test.ts',
  'test/broker/mail/mailbox-model.test.ts',
  'test/broker/stream/replay-pages.test.ts',
]

const driver = await loadDriver()

/** Whether a ring on disk can be tested. */
export const HAS_SQLITE = typeof driver !== 'string'

/** What a daemon says of itself with which all is well, but for what it cannot keep here. */
export const WELL = HAS_SQLITE ? 'healthy' : 'degraded'

/** What it says of that alone, whatever else is amiss. */
const TOLD_OF_SQLITE = /^(?:The instance lock is a lock file: |Frames are kept in memory only: )/

/** What a command that has started a daemon says beside its answer: where nothing is kept it is told at once. */
export const SAID_OF_START = HAS_SQLITE ? /^$/ : /^Frames are kept in memory only: [^\n]*\n$/

/** The details of a health, but for what it cannot keep here; all of them where it can. */
export function detailsBesides(details: readonly string[] = []): readonly string[] {
  return HAS_SQLITE ? details : details.filter((detail) => !TOLD_OF_SQLITE.test(detail))
}

/** What an accepted envelope or frame is acknowledged with: memory alone is less. */
export const ACK = HAS_SQLITE ? 'process' : 'memory'

const WHY = `they need SQLite (${String(driver)})`

/** For what is kept over the end of a daemon. */
export function keepsFrames(): boolean {
  return isSo(HAS_SQLITE, WHY)
}

/**
 * The files that are left out, said in one sentence.
 *
 * @throws Error under CI, unless `AGENTD_SQLITE` is `none`: a promise would be untested and nobody would know
 */
export function findFilesWithoutSqlite(): readonly string[] {
  const isInstallable = process.env['AGENTD_SQLITE'] !== 'none'
  const verdict = verdictOf({ isThere: HAS_SQLITE, isInstallable, isCi: Boolean(process.env['CI']) })
  if (verdict === 'fail') throw new Error(`${String(driver)}, and under CI nothing is left out.`)
  return keepsFrames() ? [] : NEED_SQLITE
}
