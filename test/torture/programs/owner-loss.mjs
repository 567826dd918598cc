/**
 * a daemon whose socket was deleted or replaced finds out and goes, and never takes a successor with it.
 */
import { mkdirSync, renameSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { startDaemon, StartFailed } from '../support/daemon.mjs'
import { request } from '../support/http.mjs'
import { openReader } from '../support/reader.mjs'
import { summarise } from '../support/statistics.mjs'
import { createTempDir } from '../support/temp-dir.mjs'
import { within } from '../support/waiting.mjs'

const LIMIT_MS = 5_000
const EXIT_LOST = 75

/** What happens to the socket. Each gives what has to be undone, if anything. */
const LOSSES = {
  deleted: ({ socket }) => unlinkSync(socket),
  'moved away': ({ socket }) => renameSync(socket, `${socket}.gone`),
  'replaced by a file': ({ socket, dir }) => {
    writeFileSync(dir.file('other'), 'not a socket')
    renameSync(dir.file('other'), socket)
  },
  'replaced by a socket': async ({ socket, dir }) => {
    const server = createServer()
    await new Promise((resolve) => server.listen(dir.file('other.sock'), resolve))
    renameSync(dir.file('other.sock'), socket)
    return () => server.close()
  },
  'directory deleted': ({ dir }) => rmSync(dir.file('place'), { recursive: true }),
  'directory moved': ({ dir }) => renameSync(dir.file('place'), dir.file('moved')),
}

/** A daemon with readers, one of which takes nothing. */
async function startBusy(dir, socket) {
  const daemon = await startDaemon({ dir, env: { AGENTD_SOCKET: socket } })
  const readers = Array.from({ length: 5 }, () => openReader(socket))
  for (const reader of readers) await reader.until(() => reader.connects > 0)
  readers[0].socket.pause()
  return { daemon, readers }
}

async function lose(name, figures) {
  const dir = createTempDir()
  mkdirSync(dir.file('place'), { mode: 0o700 })
  const socket = dir.file('place', 'a.sock')
  const { daemon, readers } = await startBusy(dir, socket)
  const startedMs = performance.now()
  const undo = await LOSSES[name]({ socket, dir })
  const replacement = inodeOf(socket)
  const exit = await within(daemon.exited, 2 * LIMIT_MS)
  const tookMs = performance.now() - startedMs
  figures.tookMs.push(tookMs)
  if (exit?.code !== EXIT_LOST || tookMs > LIMIT_MS) {
    figures.wrong.push(`${name}: ${JSON.stringify(exit ?? 'still there')} after ${Math.round(tookMs)} ms`)
  }
  if (inodeOf(socket) !== replacement) figures.wrong.push(`${name}: what replaced the socket was touched`)
  if (exit === undefined) await daemon.stop('SIGKILL')
  const said = readers.filter(({ byes }) => byes.length > 0).length
  figures.byes += said
  figures.byesOwed += readers.length - 1
  for (const reader of readers) reader.close()
  undo?.()
  dir.remove()
}

function inodeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.ino
}

/** The socket goes, and a new daemon wants its place at once: how long two are alive, and who answers. */
async function succeed(figures) {
  const dir = createTempDir()
  mkdirSync(dir.file('place'), { mode: 0o700 })
  const socket = dir.file('place', 'a.sock')
  const { daemon, readers } = await startBusy(dir, socket)
  const startedMs = performance.now()
  unlinkSync(socket)
  let successor
  while (successor === undefined && performance.now() - startedMs < 3 * LIMIT_MS) {
    try {
      successor = await startDaemon({ dir, env: { AGENTD_SOCKET: socket } })
    } catch (error) {
      if (!(error instanceof StartFailed)) throw error
    }
  }
  figures.succeededMs.push(performance.now() - startedMs)
  if (daemon.isAlive()) figures.wrong.push('two daemons at one place')
  await daemon.exited
  const health = await request(socket, '/v1/health').catch((error) => error)
  if (health.body?.pid !== successor?.pid)
    figures.wrong.push(`the successor does not answer: ${health.message}`)
  for (const reader of readers) reader.close()
  await successor?.stop()
  dir.remove()
}

async function run({ rounds, hasTime }) {
  const figures = { tookMs: [], succeededMs: [], wrong: [], byes: 0, byesOwed: 0 }
  for (let round = 0; rounds === undefined ? round === 0 || hasTime() : round < rounds; round += 1) {
    // Side by side: most of the time is the two seconds that a reader who takes nothing is given.
    await Promise.all([...Object.keys(LOSSES).map((name) => lose(name, figures)), succeed(figures)])
  }
  return {
    holds: figures.wrong.length === 0,
    losses: figures.tookMs.length,
    wrong: [...new Set(figures.wrong)],
    ...summarise('until_gone_ms', figures.tookMs),
    ...summarise('successor_ready_ms', figures.succeededMs),
    byes: `${figures.byes}/${figures.byesOwed}`,
  }
}

export default {
  name: 'owner-loss',
  promise: 'R-05',
  summary: 'the socket is deleted, moved or replaced under a running daemon: it goes within 5 s',
  run,
}
