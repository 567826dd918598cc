/**
 * A power cut at any moment, simulated: every write and flush of the store is recorded as the kernel saw it, and
 * what a disk would hold that keeps what was flushed, and any part of what was not, is opened on another boot
 * (R-19, R-20).
 *
 * There is no LazyFS here; this is its stand-in. Not covered: directory entries (they count as durable once made)
 * and a disk that lies about flushes.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { makeFrame } from '../support/frames.mjs'
import { DIST, startDaemon } from '../support/daemon.mjs'
import { request } from '../support/http.mjs'
import { createTempDir, hasCommand } from '../support/temp-dir.mjs'

const FILES = ['ring.db', 'ring.db-wal', 'ring.mark']

/** Frames of one life that is recorded. */
const FRAMES = 60

/** The smallest piece of a write that may reach the disk alone. */
const SECTOR = 512

/** A life is recorded anew after so many cuts through it. */
const CUTS_PER_LIFE = 150

export default {
  name: 'power-cut',
  promise: 'R-19, R-20',
  summary:
    'the disk keeps what was flushed and any part of the rest: disk acks survive, no number names two frames',
  async run({ hasTime, random, rounds = Infinity, note }) {
    if (!hasCommand('strace')) return { skipped: 'strace is not installed', missing: 'strace' }
    const store = await import(pathToFileURL(`${DIST}/store/ring/sqlite-ring.js`).href)
    const { loadDriver } = await import(pathToFileURL(`${DIST}/store/driver/driver.js`).href)
    const driver = await loadDriver()
    const figures = {
      lives: 0,
      cuts: 0,
      disk_acks_lost: 0,
      numbers_reusable: 0,
      wrong_frames: 0,
      failed_opens: 0,
    }
    Object.assign(figures, { epochs_kept: 0, quarantined: 0 })
    const windows = { process: { frames: [], ms: [] }, disk: { frames: [], ms: [] } }
    while ((hasTime() || figures.lives < 2) && figures.cuts < rounds) {
      const ack = figures.lives % 2 === 0 ? 'disk' : 'process'
      const life = await recordLife(ack)
      figures.lives += 1
      for (let i = 0; i < CUTS_PER_LIFE && (hasTime() || i < 20) && figures.cuts < rounds; i += 1) {
        figures.cuts += 1
        cutOnce({ life, driver, SqliteRing: store.SqliteRing, random, figures, window: windows[ack], note })
      }
      life.dir.remove()
    }
    const { disk_acks_lost, numbers_reusable, wrong_frames, failed_opens } = figures
    return {
      ...figures,
      process_loss_frames_max: Math.max(0, ...windows.process.frames),
      process_loss_ms_max: Math.round(Math.max(0, ...windows.process.ms)),
      disk_loss_frames_max: Math.max(0, ...windows.disk.frames),
      holds: disk_acks_lost + numbers_reusable + wrong_frames + failed_opens === 0 && figures.cuts > 0,
    }
  },
}

/** A first life that ends cleanly, and a second whose calls are recorded from its first moment. */
async function recordLife(ack) {
  const dir = createTempDir()
  const first = await startDaemon({ dir, config: { ack } })
  const before = new Map()
  await publish(first, 10, (one) => before.set(one.eventId, one))
  await first.stop()
  const base = new Map(FILES.map((name) => [name, readIfThere(dir.file('state', name))]))
  const log = dir.file('strace.log')
  const trace = 'trace=pwrite64,fsync,fdatasync,ftruncate'
  const command = ['strace', '-qq', '-ttt', '-y', '-xx', '-s', '100000', '-o', log, '-e', trace]
  const daemon = await startDaemon({ dir, config: { ack }, command })
  const acks = []
  await publish(daemon, FRAMES, (one) => acks.push(one))
  const { body } = await request(daemon.socket, '/v1/health')
  await daemon.stop('SIGKILL')
  return { dir, ack, base, before, acks, epoch: body.epoch, calls: readCalls(log) }
}

/** One frame after the other, a few at once now and then, each remembered with when its answer was there. */
async function publish(daemon, count, onAck) {
  for (let sent = 0; sent < count;) {
    const batch = sent % 7 === 0 ? 5 : 1
    const frames = Array.from({ length: batch }, () => makeFrame({ text: 'y'.repeat(700) }))
    sent += batch
    await Promise.all(
      frames.map(async (frame) => {
        const { body } = await request(daemon.socket, '/v1/frames', { json: { frame } })
        // The clock gives whole milliseconds; an answer counts from when it was there for certain.
        onAck({ eventId: body.event_id, text: JSON.stringify(frame), atMs: Date.now() + 1 })
      }),
    )
  }
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path) : undefined
}

/** The calls on the store's files, in order. */
function readCalls(path) {
  const calls = []
  for (const line of readFileSync(path, 'latin1').split('\n')) {
    const match = /^(\d+\.\d+) (\w+)\(\d+<([^>]*)>(?:, (.*))?\) += (-?\d+)/.exec(line)
    if (match === null || match[5].startsWith('-')) continue
    const [, at, call, hexPath, rest = ''] = match
    const name = decode(hexPath).toString('utf8').split('/').at(-1)
    if (!FILES.includes(name)) continue
    const atMs = Number(at) * 1_000
    if (call === 'pwrite64') {
      const [, bytes, offset] = /^"((?:\\x[0-9a-f]{2})*)", \d+, (\d+)$/.exec(rest) ?? []
      if (bytes === undefined) throw new Error(`a write that cannot be read: ${line.slice(0, 200)}`)
      calls.push({ atMs, call: 'write', name, offset: Number(offset), bytes: decode(bytes) })
    } else if (call === 'ftruncate') calls.push({ atMs, call: 'truncate', name, length: Number(rest) })
    else calls.push({ atMs, call: 'flush', name })
  }
  return calls
}

/** `\x41\x42`, or text as it is. */
function decode(text) {
  return text.startsWith('\\x') ? Buffer.from(text.replaceAll('\\x', ''), 'hex') : Buffer.from(text, 'latin1')
}

/** Opens what a disk could hold after a cut, and compares it with what had been promised. */
function cutOnce({ life, driver, SqliteRing, random, figures, window, note }) {
  const at = random.between(1, life.calls.length)
  const image = imageAfter(life, at, random)
  const dir = createTempDir()
  mkdirSync(dir.file('state'), { mode: 0o700 })
  for (const [name, bytes] of image) {
    if (bytes !== undefined) writeFileSync(dir.file('state', name), bytes, { mode: 0o600 })
  }
  const cutMs = life.calls[at - 1].atMs
  const promised = life.acks.filter(({ atMs }) => atMs < cutMs)
  const log = { info() {}, warn() {}, error() {} }
  const retention = { maxFrames: 1e6, maxBytes: 1e10, maxAgeMs: 1e12 }
  const place = {
    path: dir.file('state', 'ring.db'),
    ack: life.ack,
    bootId: 'another',
    nowMs: () => Date.now(),
  }
  try {
    const ring = new SqliteRing({ driver, place, retention, log })
    const found = new Map(ring.read(0, 100_000).map(({ seq, text }) => [seq, text]))
    judge({
      life,
      ring,
      found,
      promised,
      cutMs,
      figures,
      window,
      note: (what) => note(`cut ${at}/${life.calls.length}: ${what}`),
    })
    ring.close()
  } catch (error) {
    figures.failed_opens += 1
    note(`cut ${at}/${life.calls.length}: ${error.stack}`)
  }
  dir.remove()
}

const seqOf = ({ eventId }) => Number(eventId.split('-')[1])

function judge({ life, ring, found, promised, cutMs, figures, window, note }) {
  const known = new Map([...life.before.values(), ...life.acks].map((one) => [seqOf(one), one.text]))
  const lost = promised.filter((one) => found.get(seqOf(one)) !== one.text)
  window.frames.push(lost.length)
  window.ms.push(lost.length === 0 ? 0 : cutMs - Math.min(...lost.map(({ atMs }) => atMs)))
  for (const [seq, text] of found) {
    // A frame whose answer had not come yet may be there; one with another number or other bytes may not.
    if (known.has(seq) && known.get(seq) !== text) figures.wrong_frames += 1
  }
  if (ring.health().details.length > 0) figures.quarantined += 1
  if (ring.epoch === life.epoch) {
    figures.epochs_kept += 1
    if (lost.length > 0) {
      figures.numbers_reusable += 1
      note(`the epoch goes on without ${lost.length} promised frames`)
    }
  }
  if (life.ack === 'disk' && lost.length > 0) {
    figures.disk_acks_lost += lost.length
    note(`${lost.length} disk acks lost`)
  }
}

/** The files after a cut: what was flushed, and of the rest of it each piece or not, as the disk pleased. */
function imageAfter({ base, calls }, at, random) {
  const durable = new Map(
    [...base].map(([name, bytes]) => [name, bytes === undefined ? undefined : Buffer.from(bytes)]),
  )
  const pending = new Map(FILES.map((name) => [name, []]))
  for (const call of calls.slice(0, at)) {
    if (call.call === 'flush') {
      for (const one of pending.get(call.name)) apply(durable, one)
      pending.set(call.name, [])
    } else pending.get(call.name).push(call)
  }
  const mood = random.pick(['none', 'all', 'some', 'torn'])
  for (const calls of pending.values()) {
    calls.forEach((call, i) => {
      if (mood === 'none' || (mood === 'some' && random() < 0.5)) return
      const isTorn = mood === 'torn' && call.call === 'write' && (i === calls.length - 1 || random() < 0.2)
      apply(durable, isTorn ? torn(call, random) : call)
    })
  }
  return durable
}

function torn(call, random) {
  const sectors = Math.floor(call.bytes.length / SECTOR)
  return { ...call, bytes: call.bytes.subarray(0, SECTOR * random.between(0, sectors)) }
}

function apply(files, call) {
  const before = files.get(call.name) ?? Buffer.alloc(0)
  if (call.call === 'truncate') {
    const after = Buffer.alloc(call.length)
    before.copy(after, 0, 0, Math.min(before.length, call.length))
    files.set(call.name, after)
    return
  }
  const end = call.offset + call.bytes.length
  const after = end > before.length ? Buffer.concat([before, Buffer.alloc(end - before.length)]) : before
  call.bytes.copy(after, call.offset)
  files.set(call.name, after)
}
