/**
 * The N-th write, flush or read of the store fails, once or from then on: nothing is acknowledged that was not written,
 * nothing refused is delivered, and the daemon either serves or has ended. Nothing in the file is wrong, so
 * nothing is set aside for a read (HD-14, R-57).
 */
import { readFileSync, readdirSync } from 'node:fs'
import { makeFrame } from '../support/frames.mjs'
import { request } from '../support/http.mjs'
import { startDaemon, StartFailed } from '../support/daemon.mjs'
import { openReader, readRing } from '../support/reader.mjs'
import { createTempDir, hasCommand } from '../support/temp-dir.mjs'

/** What is made to fail, and which calls those are; `-P` keeps it to the files of the store. */
const FAULTS = [
  ['write', 'pwrite64:error=EIO'],
  ['write-full', 'pwrite64:error=ENOSPC'],
  ['flush', 'fsync,fdatasync:error=EIO'],
  ['truncate', 'ftruncate:error=EIO'],
  ['read', 'pread64:error=EIO'],
]

/** The greatest N; a start and a few frames are about as many calls. */
const MAX_N = 50

/** Frames sent one after the other, each when the last was answered. */
const FRAMES = 30

/** How long one answer, and the end after SIGTERM, may take, in milliseconds. */
const ANSWER_MS = 5_000
const END_MS = 8_000

export default {
  name: 'io-faults',
  promise: 'R-22, R-57',
  summary: 'EIO and ENOSPC in the N-th write, flush or read of the store: no false acks, no stuck states',
  async run({ hasTime, random, rounds = Infinity, note }) {
    if (!hasCommand('strace')) return { skipped: 'strace is not installed', missing: 'strace' }
    const figures = {
      rounds: 0,
      injected: 0,
      acks: 0,
      refusals: 0,
      false_acks: 0,
      acks_after_failed_flush: 0,
    }
    Object.assign(figures, { delivered_though_refused: 0, stuck_states: 0, defects: 0 })
    Object.assign(figures, { failed_starts: 0, failed_restarts: 0, set_aside_for_a_read: 0 })
    while (hasTime() && figures.rounds < rounds) {
      const fault = random.pick(FAULTS)
      // Small N more often: most calls of some kinds are made at the start, and some kinds are rare.
      const n = 1 + Math.floor(MAX_N * random() ** 2)
      const plus = random.pick(['', '+'])
      figures.rounds += 1
      await tryFault({ fault, when: `${n}${plus}`, figures, note })
    }
    const {
      false_acks,
      acks_after_failed_flush,
      delivered_though_refused,
      stuck_states,
      defects,
      failed_restarts,
      set_aside_for_a_read,
    } = figures
    const broken = false_acks + acks_after_failed_flush + delivered_though_refused + stuck_states + defects
    return {
      ...figures,
      holds: broken + failed_restarts + set_aside_for_a_read === 0 && figures.injected > 0,
    }
  },
}

async function tryFault({ fault: [kind, calls], when, figures, note }) {
  const dir = createTempDir()
  const log = dir.file('strace.log')
  const files = ['ring.db', 'ring.db-wal', 'ring.mark'].flatMap((name) => ['-P', dir.file('state', name)])
  const command = ['strace', '-qq', '-ttt', '-o', log, ...files]
  command.push('-e', `trace=${calls.split(':')[0]}`, '-e', `inject=${calls}:when=${when}`)
  const what = `${kind} ${when}`
  const acked = new Map()
  const delivered = new Set()
  let daemon
  try {
    daemon = await startDaemon({ dir, config: { ack: 'disk' }, command })
  } catch (error) {
    if (!(error instanceof StartFailed)) throw error
    // It may refuse to start on a disk like that, in one sentence; anything else is a defect.
    figures.failed_starts += 1
    if (![75, 78].includes(error.exit.code)) {
      note(`${what}: ${error.message}`)
      if (error.exit.signal === 'late') figures.stuck_states += 1
      else figures.defects += 1
    }
  }
  if (daemon !== undefined) await speak({ daemon, acked, delivered, figures, note, what, log, kind, when })
  if (readFileSync(log, 'utf8').includes('INJECTED')) figures.injected += 1
  if (kind === 'read' && readdirSync(dir.file('state')).some((name) => name.includes('corrupt'))) {
    figures.set_aside_for_a_read += 1
    note(`${what}: a store that is sound was set aside`)
  }
  await verify({ dir, acked, figures, note, what })
  dir.remove()
}

/** Publishes against the failing disk. */
async function speak({ daemon, acked, delivered, figures, note, what, log, kind, when }) {
  const pid = await daemon.daemonPid().catch(() => undefined)
  const onEvent = ({ event, data }) =>
    void (event === 'agent_frame' && delivered.add(JSON.parse(data).frame_id))
  const reader = openReader(daemon.socket, { keep: false, onEvent })
  await reader.until(() => reader.connects > 0, ANSWER_MS)
  const refused = new Set()
  for (let i = 0; i < FRAMES && daemon.isAlive(); i += 1) {
    const frame = makeFrame({ text: 'x'.repeat(1_000) })
    const sentMs = Date.now()
    try {
      const { status, body } = await request(daemon.socket, '/v1/frames', {
        json: { frame },
        timeoutMs: ANSWER_MS,
      })
      if (status === 200) {
        // A start that found no room serves from memory, and says so.
        if (body.ack !== 'memory')
          acked.set(frame.frame_id, { eventId: body.event_id, text: JSON.stringify(frame), sentMs })
        figures.acks += 1
      } else {
        refused.add(frame.frame_id)
        figures.refusals += 1
        if (status !== 507) note(`${what}: answered ${status} ${JSON.stringify(body)}`)
      }
    } catch (error) {
      if (error.code !== 'ETIMEDOUT') continue
      figures.stuck_states += 1
      note(`${what}: no answer`)
      break
    }
  }
  await reader.until(() => [...acked.keys()].every((frameId) => delivered.has(frameId)), 1_000)
  reader.close()
  figures.delivered_though_refused += [...refused].filter((frameId) => delivered.has(frameId)).length
  if (kind === 'flush' && when.endsWith('+')) {
    const failedMs = firstFailureMs(log)
    const late = [...acked.values()].filter(({ sentMs }) => failedMs !== undefined && sentMs > failedMs)
    figures.acks_after_failed_flush += late.length
    if (late.length > 0) note(`${what}: ${late.length} acks after the first failed flush`)
  }
  if (!daemon.isAlive()) {
    figures.defects += 1
    note(`${what}: the daemon ended: ${daemon.stderr().slice(-600)}`)
    return
  }
  if (pid === undefined) await daemon.stop('SIGKILL')
  else process.kill(pid, 'SIGTERM')
  let timer
  const late = new Promise((done) => {
    timer = setTimeout(() => done('late'), END_MS)
  })
  const end = await Promise.race([daemon.exited, late])
  clearTimeout(timer)
  if (end === 'late') {
    figures.stuck_states += 1
    note(`${what}: did not end after SIGTERM`)
    await daemon.stop('SIGKILL')
  }
}

/** When the first call was made to fail, in milliseconds of wall time. */
function firstFailureMs(log) {
  const line = readFileSync(log, 'utf8')
    .split('\n')
    .find((one) => one.includes('INJECTED'))
  return line === undefined ? undefined : Number(line.split(' ')[0]) * 1_000
}

/** On a disk that works again everything acknowledged is there. */
async function verify({ dir, acked, figures, note, what }) {
  try {
    const daemon = await startDaemon({ dir, config: { ack: 'disk' } })
    const ring = await readRing(request, daemon.socket)
    for (const [frameId, { eventId, text }] of acked) {
      const found = ring.get(frameId)
      if (found?.eventId === eventId && found.text === text) continue
      figures.false_acks += 1
      note(`${what}: acknowledged ${eventId}, found ${found?.eventId}`)
    }
    await daemon.stop('SIGKILL')
  } catch (error) {
    if (!(error instanceof StartFailed)) throw error
    figures.failed_restarts += 1
    note(`${what}: does not start again: ${error.message}`)
  }
}
