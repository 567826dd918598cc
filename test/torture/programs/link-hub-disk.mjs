/**
 * A hub that lost its disk, and one that came back with the disk of a while ago: both are filled again out of the rings,
 * from where the lane is, and what is known already is dropped by the marks (FT-03, FED-21, FED-26).
 */
import { whatIsMissing } from '../support/link/hub-parts.mjs'
import { withScene } from '../support/link/scene.mjs'
import { sleep } from '../support/waiting.mjs'

/** What is said between two events, in milliseconds. */
const BETWEEN_MS = 1_000

export default {
  name: 'link-hub-disk',
  promise: 'FED-21, FED-26',
  summary: "the hub's disk of a while ago, and none at all: nothing lost, twice or out of order",
  async run({ hasTime }) {
    return (
      whatIsMissing() ??
      (await withScene({}, async (scene) => {
        const counts = { disks_of_a_while_ago: 0, disks_lost: 0 }
        await scene.speak()
        do {
          await sleep(BETWEEN_MS)
          const copy = scene.hub.copyDisk()
          await sleep(BETWEEN_MS)
          await comeBackWith(scene, copy)
          counts.disks_of_a_while_ago += 1
          await sleep(BETWEEN_MS)
          await comeBackWith(scene, undefined)
          counts.disks_lost += 1
        } while (hasTime())
        await sleep(BETWEEN_MS)
        const { figures, holds } = await scene.settle()
        const links = await Promise.all(scene.nodes.map((one) => one.link()))
        const repeats = links.reduce((sum, link) => sum + link.figures.repeats, 0)
        return { ...counts, repeated_records: repeats, ...figures, holds }
      }))
    )
  },
}

async function comeBackWith({ hub, nodes }, copy) {
  await hub.kill()
  hub.replaceDisk(copy)
  await hub.run()
  // `agentd link hub` makes what is not there at every start.
  await hub.makeStreams()
  for (const one of nodes) await one.become('up')
}
