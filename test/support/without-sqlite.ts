/**
 * What cannot be tested where there is no SQLite: better-sqlite3 has no binary for this Node, and Node's own will not do.
 *
 * @see R-26
 */
import { loadDriver } from '../../src/store/driver/driver.ts'
import { isSo, verdictOf } from './needs.ts'

/** Tests of the store, and of what a daemon does with one. */
const NEED_SQLITE = [
  'test/store/**',
  'test/contract/answers/**',
  'test/daemon/start.test.ts',
  'test/daemon/serving/handover-*.test.ts',
  'test/broker/mail/mailbox-model.test.ts',
  'test/broker/stream/replay-pages.test.ts',
]

const driver = await loadDriver()

/** Whether a ring on disk can be tested. */
export const HAS_SQLITE = typeof driver !== 'string'

/**
 * The files that are left out, said in one sentence.
 *
 * @throws Error under CI, unless `AGENTD_SQLITE` is `none`: a promise would be untested and nobody would know
 */
export function findFilesWithoutSqlite(): readonly string[] {
  const isInstallable = process.env['AGENTD_SQLITE'] !== 'none'
  const verdict = verdictOf({ isThere: HAS_SQLITE, isInstallable, isCi: Boolean(process.env['CI']) })
  if (verdict === 'fail') throw new Error(`${String(driver)}, and under CI nothing is left out.`)
  return isSo(HAS_SQLITE, `they need SQLite (${String(driver)})`) ? [] : NEED_SQLITE
}
