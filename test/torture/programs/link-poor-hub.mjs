/**
 * A hub that cannot: one without JetStream, one whose disk fills up under load, and one that takes 64 KiB at once. What is wrong
 * is told, local work goes on as ever, and when there is room again everything comes; what never fits is told to its sender, and
 * what is behind it comes (FT-16, FED-02, FED-18, FED-21).
 */
import { statfsSync } from 'node:fs'
import { makeFrame } from '../support/frames.mjs'
import { Hub } from '../support/link/hub.mjs'
import { whatIsMissing } from '../support/link/hub-parts.mjs'
import { LinkedNode } from '../support/link/node.mjs'
import { withScene } from '../support/link/scene.mjs'
import { speakersOf } from '../support/link/speakers.mjs'
import { createTempDir, mountSmallDisk } from '../support/temp-dir.mjs'
import { sleep, waitFor } from '../support/waiting.mjs'

/** What is wrong is told by then, in milliseconds. */
const TOLD_MS = 30_000

/** What is said meanwhile, in milliseconds. */
const SPOKEN_MS = 800

/** A disk that is full within a second or two, in MiB. */
const LITTLE_ROOM_MIB = 4

/** On a busy machine it takes longer, in milliseconds; and the octets that are left where it is full. */
const FILLED_MS = 60_000
const FULL_OCTETS = 300_000

/** The octets that a hub takes at once whose operator left NATS as it was made small; and what a frame has beside its text. */
const NARROW_OCTETS = 65_536
const FRAME_OCTETS = 900

/** With a bound of their own they would not be made where there is not that much room. */
const NO_BOUND = { max_bytes: -1 }

export default {
  name: 'link-poor-hub',
  promise: 'FED-02, FED-18, FED-21',
  summary:
    'a hub without JetStream, without room, or for small messages alone: told within 30 s, and nothing is lost',
  async run({ note }) {
    const missing = whatIsMissing()
    if (missing !== undefined) return missing
    const bare = await watchPoor({ withoutJetStream: true })
    const full = await fillUp(note)
    const narrow = await tryNarrow()
    return {
      told_of_no_jetstream_ms: bare.toldMs,
      why: bare.why,
      local_meanwhile: bare.acked,
      local_refused: bare.refused,
      ...full.figures,
      ...narrow.figures,
      holds: bare.holds && full.holds && narrow.holds,
    }
  },
}

/** One machine at a hub that takes nothing. */
async function watchPoor(wish) {
  const hub = await Hub.start(wish)
  const node = await LinkedNode.start('laptop', { linkText: hub.linkText('laptop') })
  const speakers = speakersOf(node)
  try {
    for (const one of speakers) await one.start()
    const toldMs = await waitFor(async () => isTold(await node.link()), TOLD_MS, 20)
    await sleep(SPOKEN_MS)
    for (const one of speakers) await one.stop()
    const acked = speakers.reduce((sum, one) => sum + one.acked.size, 0)
    const refused = speakers.reduce((sum, one) => sum + one.refused.length, 0)
    const { why, waiting } = await node.link()
    return {
      toldMs: Math.round(toldMs ?? Infinity),
      why,
      acked,
      refused,
      holds: toldMs !== undefined && acked > 0 && refused === 0 && waiting > 0,
    }
  } finally {
    await node.stop()
    await hub.stop()
  }
}

/** The disk is full for a while, and then another one. */
async function fillUp(note) {
  const dir = createTempDir()
  const disk = mountSmallDisk(dir.file('disk'), LITTLE_ROOM_MIB)
  if (disk === undefined) {
    note('no disk was filled: this user may not mount a small tmpfs')
    return { figures: { told_of_no_room_ms: 'not run: no small disk' }, holds: true }
  }
  try {
    return await withScene(
      { hub: { storeDir: disk.path, stream: NO_BOUND, bucket: NO_BOUND } },
      async (scene) => {
        await scene.speak()
        const node = scene.node('laptop')
        await waitFor(() => isFull(disk.path), FILLED_MS, 20)
        const toldMs = await waitFor(async () => isToldOfDisk(await node.link()), TOLD_MS, 20)
        const { why } = await node.link()
        const before = acked(scene)
        await sleep(SPOKEN_MS)
        const meanwhile = acked(scene) - before
        await scene.hub.kill()
        scene.hub.moveTo(dir.file('larger'))
        await scene.hub.run()
        await scene.hub.makeStreams()
        for (const one of scene.nodes) await one.become('up')
        const { figures, holds } = await scene.settle()
        return {
          figures: {
            told_of_no_room_ms: Math.round(toldMs ?? Infinity),
            why_no_room: why,
            local_with_no_room: meanwhile,
            ...figures,
          },
          holds: holds && toldMs !== undefined && meanwhile > 0,
        }
      },
    )
  } finally {
    disk.unmount()
    dir.remove()
  }
}

/** A hub that takes 64 KiB at once: of two frames, one over it and one under, each with its answer and its receipts. */
async function tryNarrow() {
  return await withScene({ hub: { maxPayload: NARROW_OCTETS } }, async (scene) => {
    const laptop = scene.node('laptop')
    const heard = new Set()
    scene.listener('devbox').onEvent = ({ event, data }) =>
      event === 'agent_frame' && heard.add(JSON.parse(data).frame_id)
    await scene.speak()
    const large = await sayOf(laptop, NARROW_OCTETS - 1_000)
    const small = await sayOf(laptop, NARROW_OCTETS / 2)
    await waitFor(() => receiptOf(laptop, large.frameId, 'refused'), TOLD_MS, 20)
    await waitFor(() => heard.has(small.frameId), TOLD_MS, 20)
    const receipt = await receiptOf(laptop, large.frameId, 'refused')
    const { figures, holds } = await scene.settle()
    return {
      figures: {
        too_large_warned: large.warnings.join(' ') || 'no',
        too_large_refused: receipt?.code ?? 'no',
        acked_around_it: figures.acked_frames,
      },
      holds:
        holds &&
        heard.has(small.frameId) &&
        !heard.has(large.frameId) &&
        large.warnings.includes('envelope-too-large') &&
        small.warnings.length === 0 &&
        receipt?.code === 'envelope-too-large',
    }
  })
}

/** A handover of about so many octets. */
async function sayOf(node, octets) {
  const handover_body = 'x'.repeat(octets - FRAME_OCTETS)
  const payload = { previous_session_id: 's', handover_body, pointer_refs: [] }
  const frame = makeFrame({ kind: 'agent_handover', payload })
  const { body, text } = await node.ask('/v1/frames', { json: { frame } })
  if (body.event_id === undefined) throw new Error(`no handover of ${octets} octets: ${text}`)
  return { frameId: frame.frame_id, warnings: (body.warnings ?? []).map(({ code }) => code) }
}

async function receiptOf(node, frameId, state) {
  const { body } = await node.ask(`/v1/frames/${frameId}`)
  return body.receipts?.find((one) => one.state === state)
}

function acked({ speakers }) {
  return speakers.reduce((sum, one) => sum + one.acked.size, 0)
}

function isFull(path) {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize < FULL_OCTETS
}

/** A connection that broke would be told as one; what is asked for is what the person can do something about. */
function isToldOfDisk(link) {
  return isTold(link) && /disk/.test(link.why)
}

function isTold(link) {
  return (link?.state === 'away' || link?.state === 'refused') && link.why !== null
}
