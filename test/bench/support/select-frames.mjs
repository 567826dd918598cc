/**
 * The peer of a replay: the same rows of the same file with one SELECT, in a process of its own.
 *
 *   node select-frames.mjs <driver> <ring.db> <frames> <repeats> [corr]
 *
 * With a `corr` it reads the envelopes of that workflow, and the newest frames otherwise. Prints the milliseconds of each repeat as JSON.
 */
import { createRequire } from 'node:module'

const [driver, path, frames, repeats, corr] = process.argv.slice(2)
const Database = createRequire(import.meta.url)(driver)
const database = new Database(path, { readonly: true })
const last = database.prepare('SELECT max(seq) FROM frames').pluck().get()
const which = corr === undefined ? 'seq > ?' : 'corr = ?'
const select = database.prepare(`SELECT * FROM frames WHERE ${which} ORDER BY seq LIMIT ?`)
const bound = corr ?? last - Number(frames)
const times = []
for (let i = 0; i <= Number(repeats); i += 1) {
  const startedMs = performance.now()
  const rows = select.all(bound, Number(frames))
  times.push(performance.now() - startedMs)
  if (rows.length !== Number(frames)) throw new Error(`there are only ${rows.length} frames`)
}
database.close()
process.stdout.write(JSON.stringify(times.slice(1)))
