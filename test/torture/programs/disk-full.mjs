/**
 * A small disk that fills up: senders are refused in so many words, nothing refused is delivered, nothing
 * acknowledged is lost, and when there is room again the daemon goes on by itself. And one that nobody frees:
 * forgetting makes room, and a start without any serves from memory and says so (HD-15, R-56).
 */
import { closeSync, existsSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { makeFrame } from '../support/frames.mjs'
import { request } from '../support/http.mjs'
import { startDaemon } from '../support/daemon.mjs'
import { startPublisher } from '../support/publisher.mjs'
import { openReader, readRing } from '../support/reader.mjs'
import { createTempDir, mountSmallDisk } from '../support/temp-dir.mjs'

const DISK_MIB = 16

/** Given free when the disk is full; the rest of the frames goes there. */
const BALLAST_BYTES = 6 * 1024 * 1024

/** Of the second disk, which has room for the reserve; frames on it when it is filled to the last octet. */
const LARGER_DISK_MIB = 24
const FRAMES_BEFORE = 500

/** Frames that have to be taken where forgetting has made room. */
const FRAMES_AFTER = 200

/** How soon frames have to be accepted again, in milliseconds. */
const MAX_RECOVERY_MS = 5_000

/** How long a full disk is knocked at, in milliseconds. */
const KNOCK_MS = 1_500

export default {
  name: 'disk-full',
  promise: 'R-21, R-56',
  summary:
    'a full disk refuses with store-full, delivers nothing refused, recovers without a restart, and can be got out of',
  async run({ hasTime, note, rounds = Infinity }) {
    const figures = {
      rounds: 0,
      acked_frames: 0,
      refused_frames: 0,
      false_acks: 0,
      delivered_though_refused: 0,
    }
    Object.assign(figures, {
      daemon_exits: 0,
      other_refusals: 0,
      recovery_ms_max: 0,
      reads_failed_while_full: 0,
      forgetting_refused: 0,
      refused_after_forgetting: 0,
      failed_starts: 0,
      not_from_memory: 0,
      past_lost: 0,
    })
    while (figures.rounds === 0 || (hasTime() && figures.rounds < rounds)) {
      const dir = createTempDir()
      const disk = mountSmallDisk(dir.file('state'), DISK_MIB)
      if (disk === undefined) return { skipped: 'disk-full: this user may not mount a small tmpfs' }
      await fillAndFree(dir, figures, note)
      disk.unmount()
      dir.remove()
      for (const signal of ['SIGTERM', 'SIGKILL']) await getOut(signal, figures, note)
      figures.rounds += 1
    }
    const { forgetting_refused, refused_after_forgetting, failed_starts, not_from_memory, past_lost } =
      figures
    const stuck = forgetting_refused + refused_after_forgetting + failed_starts + not_from_memory + past_lost
    const { false_acks, delivered_though_refused, daemon_exits, other_refusals, reads_failed_while_full } =
      figures
    const broken =
      false_acks + delivered_though_refused + daemon_exits + other_refusals + reads_failed_while_full
    return {
      ...figures,
      holds: broken + stuck === 0 && figures.refused_frames > 0 && figures.recovery_ms_max <= MAX_RECOVERY_MS,
    }
  },
}

/** A disk without an octet to spare: what is forgotten makes room, and a start there is none for serves from memory. */
async function getOut(signal, figures, note) {
  const dir = createTempDir()
  const disk = mountSmallDisk(dir.file('state'), LARGER_DISK_MIB)
  const config = { ring: { max_bytes: 2 ** 31, max_frames: 1_000_000 } }
  const daemon = await startDaemon({ dir, config })
  const early = await publish(daemon.socket, FRAMES_BEFORE)
  const reserve = dir.file('state', 'ring.reserve')
  for (let waits = 0; waits < 250 && !existsSync(reserve); waits += 1)
    await new Promise((done) => setTimeout(done, 20))
  fillToTheEnd(dir)
  while ((await publish(daemon.socket, 1)).length === 1);
  const forgotten = await request(daemon.socket, `/v1/frames?frame_id=${early[0]}`, { method: 'DELETE' })
  const many = await request(daemon.socket, '/v1/frames?sender=~alice', { method: 'DELETE' })
  if (forgotten.body?.forgotten !== 1 || !(many.body?.forgotten >= FRAMES_BEFORE - 1)) {
    figures.forgetting_refused += 1
    note(`forgetting: ${JSON.stringify([forgotten.body, many.body])}`)
  }
  const late = await publish(daemon.socket, FRAMES_AFTER)
  figures.refused_after_forgetting += FRAMES_AFTER - late.length
  await daemon.stop(signal)
  fillToTheEnd(dir)
  await startWithoutRoom({ dir, config, figures, note })
  rmSync(dir.file('state', 'ballast'))
  const again = await startDaemon({ dir, config })
  const ring = await readRing(request, again.socket)
  if (!late.every((frameId) => ring.has(frameId)) || ring.has(early[0])) figures.past_lost += 1
  await again.stop()
  disk.unmount()
  dir.remove()
}

async function startWithoutRoom({ dir, config, figures, note }) {
  try {
    const daemon = await startDaemon({ dir, config })
    const { status, body } = await request(daemon.socket, '/v1/frames', { json: { frame: makeFrame() } })
    const { body: health } = await request(daemon.socket, '/v1/health')
    // After a kill the log is there and may still take some; what it does not take is refused as ever.
    const isFromDisk = health.ring.enabled && (status === 507 || body.ack === 'process')
    const isSaid = health.status === 'degraded' && /memory only: there is no room/.test(health.details[0])
    if (!isFromDisk && !(status === 200 && body.ack === 'memory' && isSaid)) {
      figures.not_from_memory += 1
      note(`without room: ${status} ${JSON.stringify([body, health.details])}`)
    }
    await daemon.stop()
  } catch (error) {
    figures.failed_starts += 1
    note(`without room: ${error.message}`)
  }
}

/** @returns the ids of those that were taken */
async function publish(socket, count) {
  const taken = []
  for (let i = 0; i < count; i += 1) {
    const frame = makeFrame({ text: 'x'.repeat(1_900) })
    const { status } = await request(socket, '/v1/frames', { json: { frame } })
    if (status === 200) taken.push(frame.frame_id)
  }
  return taken
}

/** Takes what is left of the disk. */
function fillToTheEnd(dir) {
  const ballast = openSync(dir.file('state', 'ballast'), 'a', 0o600)
  try {
    for (;;) writeSync(ballast, Buffer.alloc(4_096))
  } catch (error) {
    if (error.code !== 'ENOSPC') throw error
  } finally {
    closeSync(ballast)
  }
}

async function fillAndFree(dir, figures, note) {
  const config = { ring: { max_bytes: 2 ** 31, max_frames: 1_000_000 } }
  writeFileSync(dir.file('state', 'ballast'), Buffer.alloc(BALLAST_BYTES))
  const daemon = await startDaemon({ dir, config })
  const delivered = new Set()
  const onEvent = ({ event, data }) =>
    void (event === 'agent_frame' && delivered.add(JSON.parse(data).frame_id))
  const reader = openReader(daemon.socket, { keep: false, onEvent, resume: true })
  await reader.until(() => reader.connects > 0)
  const sent = []
  const publisher = startPublisher(daemon.socket, {
    window: 16,
    pauseMs: 1,
    make: () => {
      const frame = makeFrame({ text: 'x'.repeat(1_900) })
      sent.push(frame.frame_id)
      return frame
    },
  })
  const until = async (test, timeoutMs) => {
    const startedMs = performance.now()
    while (!test() && daemon.isAlive() && performance.now() - startedMs < timeoutMs) {
      await new Promise((done) => setTimeout(done, 2))
    }
    return performance.now() - startedMs
  }
  await until(() => publisher.refused.length > 0, 60_000)
  await until(() => false, KNOCK_MS)
  const health = await request(daemon.socket, '/v1/health').catch(() => undefined)
  if (health?.body?.status !== 'degraded') note(`health said ${health?.body?.status} on a full disk`)
  const read = await request(daemon.socket, '/v1/frames?limit=10').catch(() => undefined)
  if (read?.status !== 200) figures.reads_failed_while_full += 1
  const before = publisher.acked.length
  rmSync(dir.file('state', 'ballast'))
  const recoveryMs = await until(() => publisher.acked.length > before, 2 * MAX_RECOVERY_MS)
  if (!daemon.isAlive()) {
    figures.daemon_exits += 1
    note(daemon.stderr())
    return
  }
  figures.recovery_ms_max = Math.max(figures.recovery_ms_max, Math.round(recoveryMs))
  await publisher.stop()
  await reader.until(() => publisher.acked.every(({ frameId }) => delivered.has(frameId)), 5_000)
  reader.close()
  await daemon.stop('SIGKILL')
  const again = await startDaemon({ dir, config })
  const ring = await readRing(request, again.socket)
  await again.stop()

  const acked = new Set(publisher.acked.map(({ frameId }) => frameId))
  figures.acked_frames += acked.size
  figures.refused_frames += publisher.refused.length
  figures.other_refusals += publisher.refused.filter(({ code }) => code !== 'store-full').length
  figures.false_acks += publisher.acked.filter(
    ({ frameId, text }) => !delivered.has(frameId) || ring.get(frameId)?.text !== text,
  ).length
  figures.delivered_though_refused += [...delivered].filter((frameId) => !acked.has(frameId)).length
}
