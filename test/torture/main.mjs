/**
 * Torture: programs that try to make the daemon break a promise, and print figures either way.
 *
 *   npm run build && npm run torture -- list
 *   npm run torture -- kill-loop --minutes 0.2
 *   npm run torture -- all --minutes 0.1
 *   npm run torture -- kill-loop --sqlite node
 *
 * The daemons run with the Node that runs this. `--sqlite` is `better-sqlite3` or `node`, for Node's own; the line of
 * figures says which it was.
 *
 * A program is a file in `programs/` that exports, by default,
 *
 *   { name, promise: 'R-..', summary, run(options) → figures }
 *
 * `figures` is a flat object of what was measured. Three names are read here: `holds` (false: the promise does not
 * hold, exit 1), `skipped` (a sentence: it could not run on this machine, exit 0, and the name is printed) and
 * `missing` (the program that it, or a part of it, was left out for want of: exit 1 under CI). A program that throws
 * has not kept its promise either.
 *
 * With `--namespaces`, as root, everything runs in a network of its own: the machines of a link are then in one each, and a cut is
 * a wire that is pulled out. Without it they are on loopback, and a proxy is between.
 *
 * `options`: `minutes`, `rounds` (or undefined), `seed`, `random` (seeded from it), `hasTime()` (whether the
 * minutes are not yet over) and `note(text)` (to stderr).
 *
 * Everything happens in temporary directories on sockets the programs made themselves; what they started is
 * ended and what they mounted is unmounted, also on Ctrl-C and when the hard bound is reached.
 */
import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { cleanUp, cleanUpAtExit } from './support/cleanup.mjs'
import { isApart, prepareApart, runApart, whyNotApart } from './support/namespaces.mjs'
import { createRandom } from './support/random.mjs'
import { SQLITES, chooseSqlite } from './support/sqlite.mjs'
import { formatTable } from './support/table.mjs'

/** What a round takes at the most beyond its minutes: starts, restarts and the checks at the end. */
const GRACE_MS = 120_000

/** Every program there is, by name. */
async function loadPrograms() {
  const directory = new URL('./programs/', import.meta.url)
  const files = readdirSync(directory).filter((file) => file.endsWith('.mjs'))
  const modules = await Promise.all(files.toSorted().map((file) => import(new URL(file, directory).href)))
  return new Map(modules.map((module) => [module.default.name, module.default]))
}

/** Runs one program. @returns whether its promise held, or could not be tried here */
async function runProgram(program, { minutes, rounds, seed, sqlite }) {
  const startedMs = performance.now()
  const guard = setTimeout(
    () => {
      process.stderr.write(`torture: ${program.name} did not end within its bound\n`)
      cleanUp()
      process.exit(1)
    },
    minutes * 60_000 + GRACE_MS,
  )
  let figures
  try {
    figures = await program.run({
      minutes,
      rounds,
      seed,
      random: createRandom(seed),
      hasTime: () => performance.now() - startedMs < minutes * 60_000,
      note: (text) => process.stderr.write(`${program.name}: ${text}\n`),
    })
  } catch (error) {
    figures = {
      holds: false,
      defect: error instanceof Error ? (error.stack ?? error.message) : String(error),
    }
  } finally {
    clearTimeout(guard)
    cleanUp()
  }
  const node = process.version
  report(program, {
    ...figures,
    ...(isApart && { namespaces: true }),
    node,
    sqlite,
    seed,
    seconds: Math.round((performance.now() - startedMs) / 100) / 10,
  })
  // What can be installed is installed where CI runs; a privilege cannot.
  if (figures.missing !== undefined && process.env.CI) return false
  return figures.skipped !== undefined || figures.holds !== false
}

/** One line for programs, a table for people. */
function report({ name, promise }, figures) {
  const { holds, skipped, ...rest } = figures
  const verdict = skipped === undefined ? (holds === false ? 'BROKEN' : 'holds') : 'skipped'
  process.stdout.write(`${JSON.stringify({ program: name, promise, verdict, ...figures })}\n`)
  const rows = Object.entries(skipped === undefined ? rest : { skipped })
  process.stdout.write(`\n${name} (${promise}): ${verdict}\n${formatTable(rows)}\n`)
}

function refuse({ message }) {
  process.stderr.write(`torture: ${message}\n`)
  process.exit(2)
}

function usage(programs) {
  const rows = [...programs.values()].map(({ name, promise, summary }) => [name, promise, summary])
  return `usage: npm run torture -- <name>…|all|list [--minutes M] [--rounds N] [--seed S] [--namespaces] [--sqlite ${SQLITES.join('|')}]\n\n${formatTable(rows)}`
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string' },
    rounds: { type: 'string' },
    seed: { type: 'string' },
    sqlite: { type: 'string' },
    namespaces: { type: 'boolean' },
  },
})
const sqlite = positionals.includes('list') ? undefined : await chooseSqlite(values.sqlite).catch(refuse)
const programs = await loadPrograms()
const names = positionals.includes('all') ? [...programs.keys()] : positionals
const unknown = names.find((name) => name !== 'list' && !programs.has(name))
if (names.length === 0 || unknown !== undefined) {
  if (unknown !== undefined) process.stderr.write(`torture: there is no program "${unknown}"\n`)
  process.stderr.write(usage(programs))
  process.exitCode = 2
} else if (names.includes('list')) {
  process.stdout.write(formatTable([...programs.values()].map((one) => [one.name, one.promise, one.summary])))
} else if (values.namespaces === true && whyNotApart() !== undefined) {
  process.stderr.write(`torture: ${whyNotApart()}\n`)
  process.exitCode = 2
} else if (values.namespaces === true && !isApart) {
  process.exitCode = await runApart()
} else {
  if (isApart) prepareApart()
  cleanUpAtExit()
  const options = {
    minutes: Number(values.minutes ?? 1),
    rounds: values.rounds === undefined ? undefined : Number(values.rounds),
    sqlite,
    seed: Number(values.seed ?? Math.floor(Math.random() * 2 ** 31)),
  }
  let isKept = true
  for (const name of names) isKept = (await runProgram(programs.get(name), options)) && isKept
  process.exit(isKept ? 0 : 1)
}
