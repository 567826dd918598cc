/**
 * A hub that lost its disk, one that came back with the disk of a while ago, and one whose power was cut before it had flushed what
 * it had acknowledged: all are filled again out of the rings, from where the lane is, and what is known already is dropped by the
 * marks (FT-03, FED-21, FED-26).
 */
import { whatIsMissing } from '../support/link/hub-parts.mjs'
import { withScene } from '../support/link/scene.mjs'
import { tearFiles } from '../support/link/torn-disk.mjs'
import { sleep, waitFor } from '../support/waiting.mjs'

/** What is said between two events, in milliseconds. */
const BETWEEN_MS = 1_000

/** What is wrong is told by then, in milliseconds. */
const TOLD_MS = 30_000

export default {
  name: 'link-hub-disk',
  promise: 'FED-21, FED-26',
  summary:
    "the hub's disk of a while ago, half flushed, and none at all: nothing lost, twice or out of order",
  async run({ hasTime, random }) {
    return (
      whatIsMissing() ??
      (await withScene({}, async (scene) => {
        const counts = {
          disks_of_a_while_ago: 0,
          disks_lost: 0,
          power_cuts: 0,
          files_torn: 0,
          disks_damaged: 0,
        }
        let toldMs = 0
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
          await sleep(BETWEEN_MS)
          const { disk, torn } = await cutPower(scene, { random, hasZeros: false })
          await comeBackWith(scene, disk)
          counts.files_torn += torn
          counts.power_cuts += 1
          toldMs = Math.max(toldMs, (await damage(scene, random)) ?? Infinity)
          counts.disks_damaged += 1
        } while (hasTime())
        await sleep(BETWEEN_MS)
        const { figures, holds } = await scene.settle()
        const links = await Promise.all(scene.nodes.map((one) => one.link()))
        const repeats = links.reduce((sum, link) => sum + link.figures.repeats, 0)
        return {
          ...counts,
          repeated_records: repeats,
          told_of_damage_ms: Math.round(toldMs),
          ...figures,
          holds: holds && toldMs <= TOLD_MS,
        }
      }))
    )
  },
}

/** What was on its disk a moment ago counts as flushed, and of the rest any part. @returns the torn copy, and of how many files */
async function cutPower({ hub }, tearing) {
  const flushed = hub.copyDisk()
  await sleep(BETWEEN_MS)
  await hub.kill()
  const disk = hub.copyDisk()
  return { disk, torn: tearFiles(disk, flushed, tearing) }
}

/**
 * A server of 2.9 goes on with zeros in its files, and finds nothing by its lane: no machine can go on there, and whoever looks is
 * told. Newer ones take out what is damaged, and everybody goes on.
 *
 * @returns until both were told, or go on there
 */
async function damage(scene, random) {
  const { disk } = await cutPower(scene, { random, hasZeros: true })
  scene.hub.replaceDisk(disk)
  await scene.hub.run()
  await scene.hub.makeStreams()
  const toldMs = await waitFor(async () => {
    const links = await Promise.all(scene.nodes.map((one) => one.link()))
    return links.every((link) => (mendsDisk(link) ? link.state === 'up' : isToldOfDamage(link)))
  }, TOLD_MS)
  // As they are told to.
  await comeBackWith(scene, undefined)
  return toldMs
}

function isToldOfDamage(link) {
  return link?.state === 'refused' && link.why.includes('damaged')
}

function mendsDisk(link) {
  return typeof link?.server === 'string' && !link.server.startsWith('2.9.')
}

async function comeBackWith({ hub, nodes }, copy) {
  await hub.kill()
  hub.replaceDisk(copy)
  await hub.run()
  // `agentd link hub` makes what is not there at every start.
  await hub.makeStreams()
  for (const one of nodes) await one.become('up')
}
