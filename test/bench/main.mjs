/**
 * The bench: every row of design/performance.md against its named peer, in one run.
 *
 *   npm run build && npm run bench
 *   npm run bench -- --only P-01,P-06 --quick
 *   npm run bench -- --json after.json
 *   npm run bench -- --compare before.json after.json
 *
 * A row is a file in `rows/` that exports
 *
 *   row = { id, boundMs?, run(context) → lines }
 *
 * `context` has `scale` (how long, how often), `wants(id)`, `shared` (a map for what rows share), `quiet()` (waits
 * for others to be done, when `--wait` was given) and `note(text)` (to stderr).
 *
 * What counts is the ratio to the peer: absolute times are printed and nothing is asserted about them. The exit
 * code is 0 when every row ran, whatever it found, and 1 when one could not be measured.
 *
 * Everything happens in temporary directories, on sockets and loopback ports of the run's own, and is ended and
 * removed at the end, also on Ctrl-C. `AGENTD_BENCH_ROOT` measures another built tree, `AGENTD_BENCH_NODE_FLAGS`
 * gives its daemon flags for Node (such as `--cpu-prof`).
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { PINNING, pinClient, waitForQuiet, watchNoise } from './support/machine.mjs'
import { hasNats, natsVersion } from './support/nats.mjs'
import { cleanUp, cleanUpAtExit } from './support/processes.mjs'
import { hasRedis, redisVersion } from './support/redis.mjs'
import { compareRuns, formatLines } from './support/report.mjs'
import { ROOT, requireBuild } from './support/root.mjs'
import { within } from './support/waiting.mjs'

/** What a row takes at the most, unless it says otherwise, in milliseconds; waiting for quiet comes on top. */
const BOUND_MS = 240_000

/** The quiet that `--wait` asks for is waited for this often in a row at the most. */
const WAITS_PER_ROW = 12

/** A row that took less has read what another one measured. */
const TOGETHER_SECONDS = 0.1

/** How long and how often things are measured. */
const SCALES = {
  full: {
    rounds: 3,
    heat: { warmupMs: 500, measureMs: 1_500 },
    load: { warmupMs: 400, measureMs: 1_600 },
    brief: { warmupMs: 150, measureMs: 800 },
    latency: { samples: 4_000, warmup: 1_000 },
    processes: 25,
    starts: 7,
    idleMs: 40_000,
    idleSubscriptions: 10_000,
    ringFrames: 100_000,
    replays: 7,
    fill: (ack, frames) => (ack === 'disk' ? frames / 4 : frames),
  },
  quick: {
    rounds: 1,
    heat: { warmupMs: 200, measureMs: 400 },
    load: { warmupMs: 200, measureMs: 500 },
    brief: { warmupMs: 100, measureMs: 250 },
    latency: { samples: 1_000, warmup: 300 },
    processes: 7,
    starts: 3,
    idleMs: 5_000,
    idleSubscriptions: 2_000,
    ringFrames: 20_000,
    replays: 3,
    fill: () => 2_000,
  },
}

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
    node: process.version,
    cores: cpus().length,
    cpu: cpus()[0]?.model ?? 'unknown',
    pinned: PINNING ?? null,
    peers: [
      hasRedis() ? redisVersion() : 'redis-server: not installed',
      hasNats() ? natsVersion() : 'nats-server: not installed',
    ],
  }
}

async function runBench({ only, scale, waitMs, jsonPath }) {
  requireBuild()
  cleanUpAtExit()
  pinClient()
  const rows = await loadRows()
  const ids = only ?? rows.map(({ id }) => id)
  const unknown = ids.find((id) => !rows.some((row) => row.id === id))
  if (unknown !== undefined)
    throw new Error(`there is no row "${unknown}"; there are ${rows.map(({ id }) => id).join(', ')}`)
  const machine = describeMachine()
  process.stdout.write(`${ROOT}\n${JSON.stringify(machine)}\n`)
  if (PINNING === undefined) process.stdout.write('Nothing is pinned: taskset or a second core is missing.\n')
  const context = {
    scale,
    shared: new Map(),
    wants: (id) => ids.includes(id),
    quiet: () => waitForQuiet(waitMs),
    note: (text) => process.stderr.write(`${text}\n`),
  }
  const done = []
  for (const row of rows.filter(({ id }) => ids.includes(id))) {
    process.stderr.write(`${row.id} …\n`)
    done.push(await runRow(row, context, waitMs))
  }
  const lines = done.flatMap((one) => one.lines)
  process.stdout.write(`\n${formatLines(lines)}\n`)
  for (const { id, seconds, noise, error } of done) {
    if (error === null && seconds < TOGETHER_SECONDS) {
      process.stdout.write(`${id}: measured together with the row before\n`)
      continue
    }
    const others = `others used ${noise.foreignCores ?? '?'} cores (${noise.stealCores ?? '?'} stolen), load ${noise.load}`
    process.stdout.write(
      `${id}: ${seconds} s, ${others}${error === null ? '' : `\n  could not be measured: ${error}`}\n`,
    )
  }
  if (jsonPath !== undefined) {
    const run = {
      at: new Date().toISOString(),
      machine,
      lines,
      rows: done.map(({ id, error, seconds, noise }) => ({ id, error, seconds, noise })),
    }
    writeFileSync(jsonPath, `${JSON.stringify(run, null, 1)}\n`)
  }
  return done.every(({ error }) => error === null) ? 0 : 1
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    json: { type: 'string' },
    quick: { type: 'boolean', default: false },
    wait: { type: 'string', default: '0' },
    compare: { type: 'boolean', default: false },
  },
})
if (values.compare) {
  if (positionals.length !== 2) {
    process.stderr.write('bench: --compare takes two files written by --json\n')
    process.exit(2)
  }
  const [before, after] = positionals.map((path) => JSON.parse(readFileSync(path, 'utf8')))
  process.stdout.write(compareRuns(before, after))
} else {
  try {
    process.exit(
      await runBench({
        only: values.only?.split(','),
        scale: values.quick ? SCALES.quick : SCALES.full,
        waitMs: Number(values.wait) * 1_000,
        jsonPath: values.json,
      }),
    )
  } catch (error) {
    process.stderr.write(`bench: ${error.message}\n`)
    process.exit(2)
  }
}
