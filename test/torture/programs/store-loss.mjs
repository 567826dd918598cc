/**
 * A store that goes from under a running daemon: deleted, truncated, replaced, its directory moved or removed. Within
 * seconds answers stand for memory only and health says why; then the store is at its place again, and what was
 * answered with `process` after that survives a kill (HD-13, R-55).
 */
import { copyFileSync, cpSync, mkdirSync, readdirSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { makeFrame } from '../support/frames.mjs'
import { request } from '../support/http.mjs'
import { startDaemon } from '../support/daemon.mjs'
import { readRing } from '../support/reader.mjs'
import { createTempDir } from '../support/temp-dir.mjs'

/** How soon it has to be noticed, and how soon it is back, in milliseconds. */
const NOTICED_MS = 5_000
const BACK_MS = 10_000

/** Frames before the loss, and the pause between two after it, in milliseconds. */
const FRAMES = 60
const PAUSE_MS = 20

/** What happens to the store. `keeps`: whether the daemon still has what was in it. */
const LOSSES = {
  'store deleted': { keeps: true, lose: ({ state }) => removeStore(state) },
  'database deleted': { keeps: true, lose: ({ state }) => rmSync(`${state}/ring.db`) },
  'log deleted': { keeps: true, lose: ({ state }) => rmSync(`${state}/ring.db-wal`) },
  'directory deleted': { keeps: true, lose: ({ state }) => rmSync(state, { recursive: true }) },
  'directory moved': { keeps: true, lose: ({ state }) => renameSync(state, `${state}.moved`) },
  'store replaced': { keeps: true, lose: replaceStore },
  'database truncated': { keeps: false, lose: ({ state }) => truncateSync(`${state}/ring.db`) },
  'log truncated': { keeps: false, lose: ({ state }) => truncateSync(`${state}/ring.db-wal`) },
}

export default {
  name: 'store-loss',
  promise: 'R-55',
  summary:
    'a store deleted, truncated, replaced or moved: told within seconds, back by itself, nothing claimed',
  async run({ hasTime, note, rounds = Infinity }) {
    const figures = {
      rounds: 0,
      losses: 0,
      not_noticed: 0,
      not_told: 0,
      not_back: 0,
      frames_lost_after_return: 0,
      past_lost: 0,
      daemon_exits: 0,
      others_store_touched: 0,
    }
    const noticedMs = []
    const backMs = []
    while (figures.rounds === 0 || (hasTime() && figures.rounds < rounds)) {
      for (const name of Object.keys(LOSSES)) await lose(name, { figures, note, noticedMs, backMs })
      figures.rounds += 1
    }
    const { rounds: _, losses, ...wrong } = figures
    return {
      ...figures,
      noticed_ms_max: Math.round(Math.max(0, ...noticedMs)),
      back_ms_max: Math.round(Math.max(0, ...backMs)),
      holds: losses > 0 && Object.values(wrong).every((count) => count === 0),
    }
  },
}

function removeStore(state) {
  for (const name of readdirSync(state)) if (name.startsWith('ring.')) rmSync(`${state}/${name}`)
}

/** Another daemon's store in its place, as somebody does who restores a copy. */
function replaceStore({ state, dir }) {
  copyFileSync(dir.file('other', 'ring.db'), `${state}/restored`)
  renameSync(`${state}/restored`, `${state}/ring.db`)
}

async function lose(name, { figures, note, noticedMs, backMs }) {
  const { lose: act, keeps } = LOSSES[name]
  const dir = createTempDir()
  await leaveOtherStore(dir)
  const daemon = await startDaemon({ dir })
  const { socket } = daemon
  const early = await publish(socket, FRAMES)
  figures.losses += 1
  act({ state: dir.file('state'), dir })

  const lostMs = performance.now()
  const noticed = await publishUntil(
    socket,
    (ack, health) => ack === 'memory' || hasBegunAnew(health),
    NOTICED_MS,
  )
  if (noticed === undefined) {
    figures.not_noticed += 1
    note(`${name}: still answered with process after ${NOTICED_MS} ms`)
  } else noticedMs.push(performance.now() - lostMs)
  if (noticed?.health.status !== 'degraded' || noticed.health.details.length === 0) figures.not_told += 1
  const back = await publishUntil(socket, (ack) => ack === 'process', BACK_MS)
  if (back === undefined) {
    figures.not_back += 1
    note(`${name}: not back after ${BACK_MS} ms: ${JSON.stringify(noticed?.health.details)}`)
  } else backMs.push(performance.now() - lostMs)
  const late = await publish(socket, FRAMES)
  if (!daemon.isAlive()) {
    figures.daemon_exits += 1
    note(`${name}: ${daemon.stderr().slice(-600)}`)
  }
  await daemon.stop('SIGKILL')

  const again = await startDaemon({ dir })
  const ring = await readRing(request, again.socket)
  await again.stop()
  const isThere = ({ frameId, ack }) => ack === 'memory' || ring.has(frameId)
  const lost = late.filter((one) => !isThere(one)).length
  figures.frames_lost_after_return += lost
  if (lost > 0) note(`${name}: ${lost} of ${late.length} acknowledged after the return are not there`)
  if (keeps && !early.every(({ frameId }) => ring.has(frameId))) figures.past_lost += 1
  if (name === 'store replaced' && !isAside(dir)) figures.others_store_touched += 1
  dir.remove()
}

/** Whether a store was set aside: what somebody put there is theirs, and is never thrown away. */
function isAside(dir) {
  return readdirSync(dir.file('state')).some((name) => /^ring\.(replaced|corrupt)-/.test(name))
}

/** Truncated, there is nothing to go on from: the fresh store has told so with an epoch of its own. */
function hasBegunAnew({ details }) {
  return details.some((detail) => /set aside/.test(detail))
}

async function leaveOtherStore(dir) {
  const other = createTempDir()
  const daemon = await startDaemon({ dir: other })
  await publish(daemon.socket, 10)
  await daemon.stop()
  mkdirSync(dir.file('other'))
  cpSync(other.file('state'), dir.file('other'), { recursive: true })
  other.remove()
}

async function publish(socket, count) {
  const sent = []
  for (let i = 0; i < count; i += 1) {
    const frame = makeFrame({ text: 'x'.repeat(500) })
    const { status, body } = await request(socket, '/v1/frames', { json: { frame } })
    if (status === 200) sent.push({ frameId: frame.frame_id, ack: body.ack })
  }
  return sent
}

/** Publishes until an answer, or the health after it, is as wanted. @returns that health */
async function publishUntil(socket, test, timeoutMs) {
  const startedMs = performance.now()
  while (performance.now() - startedMs < timeoutMs) {
    const [sent] = await publish(socket, 1)
    const { body: health } = await request(socket, '/v1/health')
    if (sent !== undefined && test(sent.ack, health)) return { health }
    await new Promise((done) => setTimeout(done, PAUSE_MS))
  }
  return undefined
}
