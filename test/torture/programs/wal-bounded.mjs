/**
 * Publishing at full speed while readers replay without end: the write-ahead log and the database stay within
 * their bounds.
 */
import { statSync } from 'node:fs'
import { makeFrame } from '../support/frames.mjs'
import { request } from '../support/http.mjs'
import { startDaemon } from '../support/daemon.mjs'
import { startPublisher } from '../support/publisher.mjs'
import { openReader } from '../support/reader.mjs'
import { createTempDir } from '../support/temp-dir.mjs'

const MEBIBYTE = 1024 * 1024
const RING_BYTES = 16 * MEBIBYTE
const READERS = 10

/** The bounds that are promised. */
const MAX_WAL_MIB = 64
const MAX_DATABASE_RATIO = 1.1

/** Time between two looks at the sizes, in milliseconds. */
const SAMPLE_MS = 50

export default {
  name: 'wal-bounded',
  promise: 'R-24',
  summary:
    'publishing and endless replays: the log stays below 64 MiB, the database at the bound of the ring',
  async run({ hasTime, random }) {
    const dir = createTempDir()
    const daemon = await startDaemon({
      dir,
      config: { ring: { max_bytes: RING_BYTES, max_frames: 1_000_000 } },
    })
    const make = () => makeFrame({ text: 'x'.repeat(random.between(1, 2_000)) })
    const publisher = startPublisher(daemon.socket, { make })
    let replayed = 0
    const over = new AbortController()
    /** Reads what is retained, from the beginning, over and over. */
    const replay = async () => {
      while (!over.signal.aborted) {
        const reader = openReader(daemon.socket, { query: '?replay=1000', keep: false })
        await reader.until(() => reader.count >= 1_000 || over.signal.aborted, 2_000)
        replayed += reader.count
        reader.close()
      }
    }
    const readers = Array.from({ length: READERS }, () => replay())
    let maxWal = 0
    let maxDatabase = 0
    let maxRing = 0
    let samples = 0
    while (hasTime() && daemon.isAlive()) {
      await new Promise((done) => setTimeout(done, SAMPLE_MS))
      maxWal = Math.max(maxWal, statSync(dir.file('state', 'ring.db-wal')).size)
      maxDatabase = Math.max(maxDatabase, statSync(dir.file('state', 'ring.db')).size)
      samples += 1
      if (samples % 10 === 0) {
        maxRing = Math.max(maxRing, (await request(daemon.socket, '/v1/health')).body.ring.bytes)
      }
    }
    const isAlive = daemon.isAlive()
    over.abort()
    await publisher.stop()
    await Promise.all(readers)
    const { body } = await request(daemon.socket, '/v1/health')
    const exit = await daemon.stop()
    dir.remove()
    const mebibytes = (bytes) => Math.round((bytes / MEBIBYTE) * 100) / 100
    const ratio = Math.round((maxDatabase / RING_BYTES) * 100) / 100
    return {
      acked_frames: publisher.acked.length,
      trimmed_frames: publisher.acked.length - body.ring.frames,
      replayed_frames: replayed,
      max_wal_mib: mebibytes(maxWal),
      max_database_mib: mebibytes(maxDatabase),
      max_ring_mib: mebibytes(maxRing),
      ring_bound_mib: mebibytes(RING_BYTES),
      database_to_bound: ratio,
      exit_code: exit.code,
      holds: isAlive && exit.code === 0 && maxWal <= MAX_WAL_MIB * MEBIBYTE && ratio <= MAX_DATABASE_RATIO,
    }
  },
}
