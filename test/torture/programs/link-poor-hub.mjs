/**
 * A hub that cannot: one without JetStream, one without room on its disk, and one whose disk fills up under load. What is wrong
 * is told, local work goes on as ever, and when there is room again everything comes (FT-16, FED-02, FED-21).
 */
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

/** With a bound of their own they would not be made where there is not that much room. */
const NO_BOUND = { max_bytes: -1 }

export default {
  name: 'link-poor-hub',
  promise: 'FED-02, FED-21',
  summary:
    'a hub without JetStream, or without room: told within 30 s, local work goes on, and nothing is lost',
  async run({ note }) {
    const missing = whatIsMissing()
    if (missing !== undefined) return missing
    const bare = await watchPoor({ withoutJetStream: true })
    const full = await fillUp(note)
    return {
      told_of_no_jetstream_ms: bare.toldMs,
      why: bare.why,
      local_meanwhile: bare.acked,
      local_refused: bare.refused,
      ...full.figures,
      holds: bare.holds && full.holds,
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
        const toldMs = await waitFor(async () => isTold(await node.link()), TOLD_MS, 20)
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

function acked({ speakers }) {
  return speakers.reduce((sum, one) => sum + one.acked.size, 0)
}

function isTold(link) {
  return (link?.state === 'away' || link?.state === 'refused') && link.why !== null
}
