/**
 * Whose SQLite the daemons of a run keep their store with: `better-sqlite3` where it is installed for the Node that runs
 * this, and that Node's own where it is not (`src/store/driver`).
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** What `--sqlite` takes. */
export const SQLITES = ['better-sqlite3', 'node']

/** Where what was built is; set before any program is loaded, since they remember it. */
const dist = () =>
  resolve(process.env.AGENTD_TORTURE_DIST ?? fileURLToPath(new URL('../../../dist/', import.meta.url)))

/**
 * Makes the daemons of this run keep their store with the SQLite that is asked for.
 *
 * @param wish - one of {@link SQLITES}, or undefined for what is chosen by itself
 * @returns the name and version of what they keep it with
 * @throws Error when they would not
 */
export async function chooseSqlite(wish) {
  if (wish !== undefined && !SQLITES.includes(wish))
    throw new Error(`--sqlite is one of ${SQLITES.join(', ')}`)
  if (wish === 'node') process.env.AGENTD_TORTURE_DIST = installWithout('better-sqlite3')
  const { loadDriver } = await import(pathToFileURL(join(dist(), 'store/driver/driver.js')).href)
  const driver = await loadDriver()
  if (typeof driver === 'string') throw new Error(driver)
  const database = new driver(':memory:')
  const name = database.constructor.name === 'Database' ? 'better-sqlite3' : 'node'
  const version = database.prepare('SELECT sqlite_version()').pluck().get()
  database.close()
  if (wish !== undefined && wish !== name)
    throw new Error(`${wish} does not load with Node ${process.version}`)
  return `${name} ${version}`
}

/** A copy of what was built, which finds every package but one. @returns its `dist` */
function installWithout(missing) {
  const from = resolve(dist(), '..')
  const place = mkdtempSync(join(tmpdir(), 'agentd-torture-'))
  process.on('exit', () => rmSync(place, { recursive: true, force: true }))
  for (const name of ['bin', 'dist', 'package.json'])
    if (existsSync(join(from, name))) cpSync(join(from, name), join(place, name), { recursive: true })
  mkdirSync(join(place, 'node_modules'))
  for (const name of readdirSync(join(from, 'node_modules')))
    if (name !== missing && !name.startsWith('.'))
      symlinkSync(join(from, 'node_modules', name), join(place, 'node_modules', name))
  return join(place, 'dist')
}
