/**
 * kill -9 at random moments under load, and a start after each: what was acknowledged is there, under its number
 * and with its bytes, and no number names two frames.
 */
import { request } from '../support/http.mjs'
import { startDaemon, StartFailed } from '../support/daemon.mjs'
import { startPublisher } from '../support/publisher.mjs'
import { openReader, readRing } from '../support/reader.mjs'
import { summarise } from '../support/statistics.mjs'
import { createTempDir } from '../support/temp-dir.mjs'

/** The longest a daemon lives before it is killed, in milliseconds after it was ready. */
const MAX_LIFE_MS = 400

/** A ring of full size; nothing acknowledged may be trimmed within a run. */
const CONFIG = { ring: { max_frames: 10_000_000, max_bytes: 2 ** 33 } }

/** Frames per second and publisher are whatever the daemon answers; the window bounds what is in flight. */
const PUBLISHERS = 2

/** Frames after which no more are sent, so that a long run does not fill the disk. */
const MAX_FRAMES = 2_000_000

export default {
  name: 'kill-loop',
  promise: 'R-06, R-18, R-20',
  summary: 'kill -9 at random moments under load; nothing acknowledged is lost, no number is given out twice',
  async run({ hasTime, random, rounds = Infinity, note }) {
    const dir = createTempDir()
    /** Frame id → what was promised of it. */
    const acked = new Map()
    /** Every number of every epoch that was ever seen, by an answer or on a stream. */
    const named = new Map()
    const readyMs = []
    const got = []
    const figures = { kills: 0, failed_starts: 0, manual_steps: 0, epochs: 0, acked_frames: 0 }
    let reused = 0
    let lastId
    let gaps = 0
    const name = (eventId, frameId) => {
      const known = named.get(eventId)
      if (known !== undefined && known !== frameId) reused += 1
      named.set(eventId, frameId)
    }

    while ((hasTime() || figures.kills < 3) && figures.kills < rounds) {
      let daemon
      try {
        daemon = await startDaemon({ dir, config: CONFIG })
      } catch (error) {
        if (!(error instanceof StartFailed)) throw error
        figures.failed_starts += 1
        note(error.message)
        break
      }
      readyMs.push(daemon.readyMs)
      const publishers = Array.from({ length: acked.size < MAX_FRAMES ? PUBLISHERS : 0 }, () =>
        startPublisher(daemon.socket, {
          onAck: ({ frameId, eventId, text }) => {
            acked.set(frameId, { eventId, text })
            name(eventId, frameId)
          },
        }),
      )
      const reader = openReader(daemon.socket, {
        ...(lastId === undefined ? { query: '?replay=1000' } : { after: lastId }),
        onEvent: ({ event, id, data }) => {
          if (event !== 'agent_frame') return
          const frameId = JSON.parse(data).frame_id
          name(id, frameId)
          got.push(id)
        },
        keep: false,
      })
      await new Promise((done) => setTimeout(done, random.between(0, MAX_LIFE_MS)))
      await daemon.stop('SIGKILL')
      figures.kills += 1
      await Promise.all(publishers.map(({ closed }) => closed))
      gaps += reader.gaps.length
      lastId = reader.lastId ?? lastId
      reader.close()
    }

    const daemon = await startDaemon({ dir, config: CONFIG })
    readyMs.push(daemon.readyMs)
    const health = await request(daemon.socket, '/v1/health')
    const last = openReader(daemon.socket, {
      after: lastId ?? '',
      keep: false,
      onEvent: ({ event, id }) => void (event === 'agent_frame' && got.push(id)),
    })
    const newest = health.body.ring.newest_event_id
    await last.until(() => got.at(-1) === newest, 60_000)
    gaps += last.gaps.length
    last.close()
    const ring = await readRing(request, daemon.socket)
    await daemon.stop()
    dir.remove()

    let missing = 0
    let altered = 0
    for (const [frameId, { eventId, text }] of acked) {
      const found = ring.get(frameId)
      if (found === undefined) missing += 1
      else if (found.eventId !== eventId || found.text !== text) altered += 1
    }
    const seqs = got.map((id) => Number(id.split('-')[1]))
    const disorder = seqs.filter((seq, i) => i > 0 && seq !== seqs[i - 1] + 1).length
    const epochs = new Set([...named.keys()].map((id) => id.split('-')[0])).size
    return {
      ...figures,
      epochs,
      acked_frames: acked.size,
      acked_but_missing: missing,
      acked_but_altered: altered,
      unacked_but_present: ring.size - (acked.size - missing),
      numbers_reused: reused,
      stream_frames: got.length,
      stream_not_consecutive: disorder,
      stream_gaps: gaps,
      ...summarise('restart_to_ready_ms', readyMs),
      holds:
        figures.failed_starts + missing + altered + reused + disorder + gaps === 0 &&
        epochs <= 1 &&
        got.at(-1) === newest,
    }
  },
}
