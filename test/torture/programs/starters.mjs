/**
 * however many start at once, and whatever the last daemon left behind, exactly one serves.
 */
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { ownProcess } from '../support/cleanup.mjs'
import { DIST, startDaemon } from '../support/daemon.mjs'
import { request } from '../support/http.mjs'
import { summarise } from '../support/statistics.mjs'
import { createTempDir } from '../support/temp-dir.mjs'
import { sleep, waitFor, within } from '../support/waiting.mjs'

const STARTERS = 32
const EXIT_REFUSED = 78

/** All of them have loaded, tried and decided by then, on two cores. */
const ROUND_TIMEOUT_MS = 60_000

/** How long the winner is asked again and again who it is, in milliseconds. */
const SETTLE_MS = 300

/** What the starters find. Each prepares a directory and gives the owner that is to survive, if there is one. */
const SURROUNDINGS = {
  async nothing() {},
  async 'stale socket'(dir) {
    const program = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`
    const child = spawn(process.execPath, ['-e', program, dir.file('a.sock')], { stdio: 'ignore' })
    await new Promise((resolve) => child.once('close', resolve))
  },
  async 'stale lock'(dir) {
    const daemon = await startDaemon({ dir })
    await daemon.stop('SIGKILL')
  },
  async 'stopped owner'(dir) {
    const daemon = await startDaemon({ dir })
    process.kill(daemon.pid, 'SIGSTOP')
    return daemon
  },
}

/** A starter that waits for the word, so that all of them begin at one instant. */
function prepareStarter(dir) {
  const child = spawn(
    'sh',
    ['-c', 'read go && exec "$@"', 'sh', process.execPath, `${DIST}/daemon/main.js`],
    {
      cwd: dir.path,
      env: {
        PATH: process.env.PATH,
        HOME: dir.file('home'),
        AGENTD_STATE_DIR: dir.file('state'),
        AGENTD_SOCKET: dir.file('a.sock'),
        AGENTD_CONFIG: dir.file('config', 'none.json'),
        AGENTD_PRINCIPAL: '~alice',
      },
      stdio: ['pipe', 'ignore', 'pipe'],
    },
  )
  ownProcess(child)
  child.stdin.on('error', () => {})
  const starter = { child, stderr: '', code: undefined }
  child.stderr.setEncoding('utf8').on('data', (text) => (starter.stderr += text))
  starter.exited = new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      starter.code = code ?? signal
      resolve()
    })
  })
  return starter
}

async function askWho(socket) {
  try {
    const { status, body } = await request(socket, '/v1/health', { timeoutMs: 1_000 })
    return status === 200 ? body : undefined
  } catch {
    return undefined
  }
}

/** One is alive, answers every time, and is the owner where there was one. @returns what is wrong otherwise */
async function findWrong(socket, starters, owner) {
  const alive = starters.filter(({ code }) => code === undefined).map(({ child }) => child.pid)
  if (owner?.isAlive()) alive.push(owner.pid)
  const who = await Promise.all(Array.from({ length: 5 }, () => askWho(socket)))
  const pids = new Set(who.map((health) => health?.pid))
  const isOne = alive.length === 1 && pids.size === 1 && pids.has(alive[0])
  if (isOne && (owner === undefined || alive[0] === owner.pid)) return undefined
  return `${alive.length} alive, ${[...pids].join()} answering`
}

async function playRound(name, figures) {
  const dir = createTempDir()
  for (const folder of ['home', 'config']) mkdirSync(dir.file(folder), { mode: 0o700, recursive: true })
  const owner = await SURROUNDINGS[name](dir)
  const starters = Array.from({ length: STARTERS }, () => prepareStarter(dir))
  await sleep(100)
  for (const { child } of starters) child.stdin.end('go\n')
  const socket = dir.file('a.sock')
  if (owner === undefined) {
    const tookMs = await waitFor(async () => (await askWho(socket)) !== undefined, ROUND_TIMEOUT_MS, 5)
    figures.firstAnswerMs.push(tookMs ?? Infinity)
  }
  const losers = starters.length - (owner === undefined ? 1 : 0)
  await waitFor(() => starters.filter(({ code }) => code !== undefined).length >= losers, ROUND_TIMEOUT_MS)
  if (owner !== undefined) process.kill(owner.pid, 'SIGCONT')
  await sleep(SETTLE_MS)
  const wrong = await findWrong(socket, starters, owner)
  figures.rounds += 1
  if (wrong !== undefined) figures.wrongRounds.push(`${name}: ${wrong}`)
  for (const { code } of starters) {
    if (code !== undefined && code !== EXIT_REFUSED)
      figures.otherExits[code] = (figures.otherExits[code] ?? 0) + 1
  }
  for (const { child, exited, code } of starters) {
    if (code !== undefined) continue
    child.kill('SIGTERM')
    await within(exited, 5_000)
  }
  await owner?.stop()
  dir.remove()
}

async function run({ rounds, hasTime, note }) {
  const figures = { rounds: 0, wrongRounds: [], otherExits: {}, firstAnswerMs: [] }
  const names = Object.keys(SURROUNDINGS)
  for (let round = 0; rounds === undefined ? round === 0 || hasTime() : round < rounds; round += 1) {
    for (const name of names) {
      await playRound(name, figures)
      note(`round ${round + 1}: ${name}`)
    }
  }
  const { wrongRounds, otherExits, firstAnswerMs } = figures
  return {
    holds: wrongRounds.length === 0 && Object.keys(otherExits).length === 0,
    starters: STARTERS,
    rounds: figures.rounds,
    wrong_rounds: wrongRounds.length,
    wrong: wrongRounds.slice(0, 5),
    loser_exits_other_than_78: otherExits,
    ...summarise('first_answer_ms', firstAnswerMs),
  }
}

export default {
  name: 'starters',
  promise: 'R-04',
  summary: '32 at once on nothing, a stale socket, a stale lock, a stopped owner: one serves',
  run,
}
