/**
 * The bench: every row of docs/performance.md against its named peer, in one run.
 *
 *   npm run build && npm run bench
 *   npm run bench -- --only P-01,P-06 --quick
 *   npm run bench -- --only 'UI-*'
 *   npm run bench -- --json after.json
 *   npm run bench -- --compare before.json after.json
 *   npm run bench -- --plot after.json --to plots
 *
 * With `--namespaces`, as root, the machines of rows L have networks of their own, and so have their peers.
 *
 * A row is a file in `rows/` that exports
 *
 *   row = { id, boundMs?, reason?, run(context) → lines }
 *
 * `reason` is printed when a target of the row is not held: what its profile says stands between.
 *
 * `context` has `scale` (how long, how often), `wants(id)`, `shared` (a map for what rows share), `quiet()` (waits
 * for others to be done, when `--wait` was given) and `note(text)` (to stderr).
 *
 * Rows P, E and UI are points, each with a target; rows S are curves, and `--plot` draws them as SVG from a file that
 * `--json` wrote, into `docs/plots/` unless `--to` says otherwise.
 *
 * What counts is the ratio to the peer: absolute times are printed and nothing is asserted about them. The exit
 * code is 0 when every row ran, whatever it found, 1 when one could not be measured, and 2 when what was asked for
 * makes no sense.
 *
 * Everything happens in temporary directories, on sockets and loopback ports of the run's own, and is ended and
 * removed at the end, also on Ctrl-C. `AGENTD_BENCH_ROOT` measures another built tree, `AGENTD_BENCH_NODE_FLAGS`
 * gives its daemon flags for Node (such as `--cpu-prof`).
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isApart, prepareApart, runApart, whyNotApart } from '../torture/support/namespaces.mjs'
import { writePlots } from './drawing/plots.mjs'
import { PINNING, pinClient, waitForQuiet, watchNoise } from './support/machine.mjs'
import { hasNats, natsVersion } from './support/nats.mjs'
import { hasNchan, nchanVersion } from './support/nchan.mjs'
import { cleanUp, cleanUpAtExit } from './support/processes.mjs'
import { hasRedis, redisVersion } from './support/redis.mjs'
import { compareRuns, formatLines } from './support/report.mjs'
import { ROOT, readVersion, requireBuild } from './support/root.mjs'
import { readRun } from './support/run-file.mjs'
import { SCALES } from './support/scales.mjs'
import { within } from './support/waiting.mjs'

/** What a row takes at the most, unless it says otherwise, in milliseconds; waiting for quiet comes on top. */
const BOUND_MS = 240_000

/** The quiet that `--wait` asks for is waited for this often in a row at the most. */
const WAITS_PER_ROW = 12

/** A row that took less has read what another one measured. */
const TOGETHER_SECONDS = 0.1

/** Where docs/performance.md looks for the plots. */
const PLOTS = fileURLToPath(new URL('../../docs/plots/', import.meta.url))

async function loadRows() {
  const directory = new URL('./rows/', import.meta.url)
  const files = readdirSync(directory).filter((file) => file.endsWith('.mjs'))
  const modules = await Promise.all(files.map((file) => import(new URL(file, directory).href)))
  return modules.map((module) => module.row).toSorted((a, b) => a.id.localeCompare(b.id))
}

/** Runs one row. @returns its lines and what it was like on the machine, or the error */
async function runRow(row, context, waitMs) {
  const noise = watchNoise()
  const startedMs = performance.now()
  const conclude = (outcome) => ({
    id: row.id,
    ...outcome,
    reason: outcome.lines.some(({ held }) => held === false) ? row.reason : undefined,
    seconds: Math.round((performance.now() - startedMs) / 100) / 10,
    noise: noise.stop(),
  })
  try {
    const boundMs = (row.boundMs ?? BOUND_MS) + WAITS_PER_ROW * waitMs
    const lines = await within(row.run(context), boundMs, `${row.id} did not end within its bound`)
    return conclude({ lines: lines.map((line) => ({ id: row.id, ...line })), error: null })
  } catch (error) {
    cleanUp()
    return conclude({
      lines: [],
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  }
}

function describeMachine() {
  return {
    agentd: `agentd ${readVersion()}`,
    node: process.version,
    cores: cpus().length,
    cpu: cpus()[0]?.model ?? 'unknown',
    pinned: PINNING ?? null,
    namespaces: isApart,
    peers: [
      hasRedis() ? redisVersion() : 'redis-server: not installed',
      hasNats() ? natsVersion() : 'nats-server: not installed',
      hasNchan() ? nchanVersion() : 'nginx with nchan: not installed',
    ],
  }
}

/** @param only - ids, or beginnings of ids with a `*` behind; absent, all of them */
function chooseIds(rows, only = ['*']) {
  const known = rows.map(({ id }) => id)
  return only.flatMap((wish) => {
    const start = wish.endsWith('*') ? wish.slice(0, -1) : undefined
    const chosen = known.filter((id) => (start === undefined ? id === wish : id.startsWith(start)))
    if (chosen.length === 0) throw new Error(`there is no row "${wish}"; there are ${known.join(', ')}`)
    return chosen
  })
}

async function runBench({ only, scaleName, waitMs, jsonPath }) {
  requireBuild()
  cleanUpAtExit()
  pinClient()
  const rows = await loadRows()
  const ids = chooseIds(rows, only)
  const machine = describeMachine()
  process.stdout.write(`${ROOT}\n${JSON.stringify(machine)}\n`)
  if (PINNING === undefined) process.stdout.write('Nothing is pinned: taskset or a second core is missing.\n')
  const context = {
    scale: SCALES[scaleName],
    shared: new Map(),
    wants: (id) => ids.includes(id),
    quiet: () => waitForQuiet(waitMs),
    note: (text) => process.stderr.write(`${text}\n`),
  }
  const done = []
  const chosen = rows.filter(({ id }) => ids.includes(id))
  for (const [index, row] of chosen.entries()) {
    process.stderr.write(`${row.id} … (${index + 1} of ${chosen.length})\n`)
    done.push(await runRow(row, context, waitMs))
  }
  const lines = done.flatMap((one) => one.lines)
  process.stdout.write(`\n${formatLines(lines)}\n`)
  for (const { id, seconds, noise, error } of done) {
    if (error === null && seconds < TOGETHER_SECONDS) {
      const isTaken = lines.some((line) => line.id === id && line.figure !== null)
      process.stdout.write(`${id}: ${isTaken ? 'measured together with an earlier row' : 'not measured'}\n`)
      continue
    }
    const others = `others used ${noise.foreignCores ?? '?'} cores (${noise.stealCores ?? '?'} stolen), load ${noise.load}`
    process.stdout.write(
      `${id}: ${seconds} s, ${others}${error === null ? '' : `\n  could not be measured: ${error}`}\n`,
    )
  }
  for (const { id, reason } of done)
    if (reason !== undefined) process.stdout.write(`\n${id} is not held. ${reason}\n`)
  if (jsonPath !== undefined) {
    const run = {
      at: new Date().toISOString(),
      scale: scaleName,
      machine,
      lines,
      rows: done.map(({ id, error, seconds, noise, reason }) => ({ id, error, seconds, noise, reason })),
    }
    writeFileSync(jsonPath, `${JSON.stringify(run, null, 1)}\n`)
  }
  return done.every(({ error }) => error === null) ? 0 : 1
}

/** @returns the exit code */
function compare(paths) {
  if (paths.length !== 2) throw new Error('--compare takes two files written by --json')
  const [before, after] = paths.map(readRun)
  process.stdout.write(compareRuns(before, after))
  return 0
}

/** @returns the exit code: 0 when there is a plot to look at, whatever the run lacked */
function plot(path, directory = PLOTS) {
  const plots = writePlots(readRun(path), resolve(directory))
  for (const { path: file, reason } of plots) {
    process.stdout.write(reason === undefined ? `${file}\n` : `${file} is not written: ${reason}\n`)
  }
  return plots.some(({ reason }) => reason === undefined) ? 0 : 1
}

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: 'string' },
      json: { type: 'string' },
      quick: { type: 'boolean', default: false },
      wait: { type: 'string', default: '0' },
      compare: { type: 'boolean', default: false },
      plot: { type: 'string' },
      to: { type: 'string' },
      namespaces: { type: 'boolean', default: false },
    },
  })
  if (values.to !== undefined && values.plot === undefined) throw new Error('--to goes with --plot')
  if (values.compare) return compare(positionals)
  if (values.plot !== undefined) return plot(values.plot, values.to)
  if (values.namespaces && whyNotApart() !== undefined) throw new Error(whyNotApart())
  if (values.namespaces && !isApart) return runApart()
  if (isApart) prepareApart()
  return runBench({
    only: values.only?.split(','),
    scaleName: values.quick ? 'quick' : 'full',
    waitMs: Number(values.wait) * 1_000,
    jsonPath: values.json,
  })
}

try {
  process.exit(await main())
} catch (error) {
  process.stderr.write(`bench: ${error.message}\n`)
  process.exit(2)
}
