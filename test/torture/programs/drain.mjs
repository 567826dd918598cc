/**
 * R-40a: SIGTERM under load ends the daemon in time, with goodbye to everybody and nothing that was acked lost.
 */
import { startCrowd } from '../support/crowd.mjs'
import { startDaemon } from '../support/daemon.mjs'
import { makeFrame } from '../support/frames.mjs'
import { request } from '../support/http.mjs'
import { startPublisher } from '../support/publisher.mjs'
import { readRing } from '../support/reader.mjs'
import { summarise } from '../support/statistics.mjs'
import { createTempDir } from '../support/temp-dir.mjs'
import { sleep, waitFor } from '../support/waiting.mjs'

const READERS = 100
const PUBLISHERS = 4
const LIMIT_MS = 5_000
const SINGLE_LANES = 4

/** Single frames, one after the other; what was answered with 200 is remembered. */
function startSingles(socket, acked) {
  const state = { isOver: false }
  const codes = {}
  const lanes = Array.from({ length: SINGLE_LANES }, async () => {
    while (!state.isOver) {
      const frame = makeFrame()
      try {
        const { status, body } = await request(socket, '/v1/frames', { json: { frame } })
        if (status === 200) acked.set(frame.frame_id, JSON.stringify(frame))
        else codes[body?.code ?? status] = (codes[body?.code ?? status] ?? 0) + 1
      } catch (error) {
        codes[error.code] = (codes[error.code] ?? 0) + 1
        if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') return
      }
    }
  })
  return {
    codes,
    async stop() {
      state.isOver = true
      await Promise.all(lanes)
    },
  }
}

async function playRound(random, figures) {
  const dir = createTempDir()
  const daemon = await startDaemon({ dir })
  const { socket } = daemon
  const crowd = startCrowd(1)
  await crowd.open({ socket, count: READERS })
  const session = (await request(socket, '/v1/sessions', { json: { instrument: 'cc', mailbox: true } })).body
  const acked = new Map()
  const onAck = ({ frameId, text }) => acked.set(frameId, text)
  const publishers = Array.from({ length: PUBLISHERS }, () => startPublisher(socket, { onAck, window: 16 }))
  const singles = startSingles(socket, acked)
  const waiting = request(socket, '/v1/inbox/wait?timeout_ms=60000', { token: session.token }).catch(
    (error) => error,
  )
  await sleep(random.between(150, 700))

  const startedMs = performance.now()
  const exit = await daemon.stop()
  figures.exitMs.push(performance.now() - startedMs)
  if (exit.code !== 0) figures.wrong.push(`exit ${JSON.stringify(exit)} ${daemon.stderr().slice(-300)}`)
  await Promise.all(publishers.map(({ closed }) => closed))
  await singles.stop()
  await waiting
  const atEnd = await crowd.report()
  figures.byes += atEnd.byes.shutdown ?? 0
  figures.byesOwed += READERS
  for (const { refused } of publishers)
    for (const { code } of refused) figures.refused[code] = (figures.refused[code] ?? 0) + 1
  for (const [code, count] of Object.entries(singles.codes))
    figures.refused[code] = (figures.refused[code] ?? 0) + count

  const again = await startDaemon({ dir })
  const kept = await readRing(request, socket)
  for (const [frameId, text] of acked) {
    figures.acked += 1
    if (kept.get(frameId)?.text !== text) figures.lost += 1
  }
  await crowd.reopen()
  const { body } = await request(socket, '/v1/frames', { json: { frame: makeFrame() } })
  if (body.recipient_count !== READERS) figures.wrong.push(`${body.recipient_count} of ${READERS} came back`)
  await waitFor(async () => (await crowd.report()).framesLeast >= kept.size + 1, 5_000, 50)
  const back = await crowd.report()
  figures.missed += READERS * (kept.size + 1) - back.frames
  figures.gaps += back.gaps
  figures.uncovered += back.uncovered
  figures.duplicates += back.duplicates
  crowd.end()
  const end = await again.stop()
  if (end.code !== 0) figures.wrong.push(`second exit ${JSON.stringify(end)}`)
  dir.remove()
}

async function run({ rounds, random, hasTime, note }) {
  const figures = {
    exitMs: [],
    wrong: [],
    byes: 0,
    byesOwed: 0,
    acked: 0,
    lost: 0,
    missed: 0,
    gaps: 0,
    uncovered: 0,
    duplicates: 0,
    refused: {},
  }
  for (let round = 0; rounds === undefined ? round < 2 || hasTime() : round < rounds; round += 1) {
    await playRound(random, figures)
    note(`round ${round + 1}: ${figures.acked} acked, ${figures.lost} lost`)
  }
  const { exitMs, wrong, byes, byesOwed, acked, lost, missed, gaps, uncovered, duplicates, refused } = figures
  return {
    holds:
      wrong.length === 0 &&
      Math.max(...exitMs) <= LIMIT_MS &&
      byes === byesOwed &&
      lost + missed + gaps + uncovered + duplicates === 0,
    rounds: exitMs.length,
    wrong: wrong.slice(0, 5),
    ...summarise('exit_ms', exitMs),
    byes: `${byes}/${byesOwed}`,
    acked,
    acked_and_lost: lost,
    frames_missed_by_readers: missed,
    gaps_told: gaps,
    uncovered,
    duplicates,
    refused_at_the_end: refused,
  }
}

export default {
  name: 'drain',
  promise: 'R-40',
  summary:
    'SIGTERM under load: exit 0 in time, a bye for everybody, nothing acked lost, resume without a gap',
  run,
}
