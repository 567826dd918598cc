/**
 * whatever comes in, nothing but documented answers comes out, and the others do not wait for it.
 */
import { setImmediate as yieldTurn } from 'node:timers/promises'
import { DIST, startDaemon } from '../support/daemon.mjs'
import { loadAeeTargets, loadLargeTargets } from '../support/fuzz-aee.mjs'
import { fault, newAccount } from '../support/fuzz-client.mjs'
import { openEnvelopeLanes } from '../support/fuzz-envelope-routes.mjs'
import { loadTargets } from '../support/fuzz-parsers.mjs'
import { frameLanes } from '../support/fuzz-routes.mjs'
import { Mutator } from '../support/mutation.mjs'
import { startProbe } from '../support/probe.mjs'
import { quantile } from '../support/statistics.mjs'
import { createTempDir } from '../support/temp-dir.mjs'

/** What one parse may take of the processor, in milliseconds; garbage collection is in it, a busy machine is not. */
const SLOW_CALL_MS = 50
/**
 * The longest one step may take on the largest envelope there may be. `JSON.parse` alone takes 50 to 80 ms for half
 * a million arrays; what is not linear takes seconds.
 */
const MAX_LARGE_STEP_MS = 250
/** The longest a healthy client may wait; in a round of seconds on a shared machine its scheduler is in it. */
const MAX_BLOCK_MS = 50
const MAX_BLOCK_SHORT_MS = 250

/** Inputs per target between two looks at the clock. */
const BATCH = 500

/** How often one step is taken with one of the largest envelopes. */
const TRIES = 3

async function fuzzParsers({ mutator, random, untilMs, found }) {
  const targets = { ...(await loadTargets(mutator, random)), ...(await loadAeeTargets(mutator, random)) }
  while (performance.now() < untilMs) {
    for (const [name, act] of Object.entries(targets)) {
      for (let i = 0; i < (act.batch ?? BATCH); i += 1) {
        const tookMs = timed(found, name, act)
        if (tookMs > (act.limitMs ?? SLOW_CALL_MS)) fault(found, `${name}: ${Math.round(tookMs)} ms`)
        if (act.limitMs === undefined) found.slowest[name] = Math.max(found.slowest[name] ?? 0, tookMs)
        found.parsed += 1
      }
    }
    await yieldTurn()
  }
}

/** Each of the largest envelopes by each step; a step is as slow as at its best, so that chance is not in it. */
async function timeLarge(found) {
  const slowest = {}
  for (const [filling, steps] of Object.entries(await loadLargeTargets())) {
    for (const [step, act] of Object.entries(steps)) {
      const best = Math.min(...Array.from({ length: TRIES }, () => timed(found, step, act)))
      if (best > (slowest[step]?.ms ?? 0)) slowest[step] = { ms: best, filling }
    }
    await yieldTurn()
  }
  return slowest
}

/** Runs it once and takes note of what came of it. @returns what it took of the processor, in milliseconds */
function timed(found, name, act) {
  const before = process.cpuUsage()
  try {
    const outcome = act()
    found.outcomes[outcome] = (found.outcomes[outcome] ?? 0) + 1
  } catch (error) {
    fault(found, `${name}: ${error.message}`)
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

async function fuzzSocket(socket, { untilMs, ...parts }) {
  const envelopes = await openEnvelopeLanes(socket, parts)
  const lanes = Object.values({ ...frameLanes(socket, parts), ...envelopes.lanes })
  await Promise.all(
    lanes.map(async (act) => {
      while (performance.now() < untilMs) await act()
    }),
  )
  return envelopes.close()
}

async function run({ minutes, random, note }) {
  const { ERROR_CODES: codes } = await import(`${DIST}/protocol/refusal/error-codes.js`)
  const mutator = new Mutator(random)
  const found = newAccount()
  const shareMs = Math.max(4_000, minutes * 30_000)
  await fuzzParsers({ mutator, random, untilMs: performance.now() + shareMs, found })
  note(`${found.parsed} inputs parsed`)
  const large = await timeLarge(found)

  const dir = createTempDir()
  const daemon = await startDaemon({ dir })
  const { socket } = daemon
  const probe = startProbe(socket, { pauseMs: 2 })
  const tasks = await fuzzSocket(socket, {
    mutator,
    random,
    codes,
    found,
    untilMs: performance.now() + shareMs,
  })
  const { latencies, failures } = await probe.stop()
  const isAlive = daemon.isAlive()
  const exit = await daemon.stop()
  const defects = daemon
    .stderr()
    .split('\n')
    .filter((line) => line.includes('"level":"error"') || line.startsWith('    at '))
  dir.remove()
  const blockMs = quantile(latencies, 1)
  const unexpected = Object.keys(found.statuses).filter(
    (status) => Number(status) >= 500 && !['503', '507'].includes(status),
  )
  return {
    holds:
      found.faults === 0 &&
      Object.values(large).every(({ ms }) => ms <= MAX_LARGE_STEP_MS) &&
      tasks.unanswered === 0 &&
      unexpected.length === 0 &&
      isAlive &&
      exit.code === 0 &&
      defects.length === 0 &&
      failures === 0 &&
      blockMs <= (minutes < 1 ? MAX_BLOCK_SHORT_MS : MAX_BLOCK_MS),
    inputs: found.parsed + found.sent,
    parsed_in_process: found.parsed,
    through_the_socket: found.sent,
    faults: found.faults,
    samples: found.samples,
    outcomes: Object.keys(found.outcomes).length,
    accepted: found.outcomes.ok,
    slowest_parse: slowestOf(found.slowest),
    largest_envelopes: Object.entries(large)
      .map(([step, { ms, filling }]) => `${step} ${Math.round(ms)} ms (${filling})`)
      .join(', '),
    tasks_to_the_daemon: tasks,
    statuses: found.statuses,
    crashes: isAlive ? 0 : 1,
    defects_logged: defects.slice(0, 5),
    healthy_p50_p99_ms: `${Math.round(quantile(latencies, 0.5) * 100) / 100} ${Math.round(quantile(latencies, 0.99) * 100) / 100}`,
    healthy_longest_wait_ms: Math.round(blockMs),
    healthy_waits_over_50_ms: `${latencies.filter((ms) => ms > MAX_BLOCK_MS).length} of ${latencies.length}`,
  }
}

function slowestOf(took) {
  const [name, ms] = Object.entries(took).reduce((worst, one) => (one[1] > worst[1] ? one : worst))
  return `${Math.round(ms * 10) / 10} ms (${name})`
}

export default {
  name: 'fuzz',
  promise: 'R-36, R-17',
  summary:
    'nearly valid frames, envelopes, keys, ledgers, bodies, lines, queries and HTTP, in process and through the socket',
  run,
}
