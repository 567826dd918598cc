/**
 * kill -9 of the daemons at random moments under load, so also between an ingested batch and its answer: marks and cursor
 * are written with the frames, so the same batch again is known whole or not at all (FT-05, FED-05, FED-27).
 */
import { whatIsMissing } from '../support/link/hub-parts.mjs'
import { withScene } from '../support/link/scene.mjs'
import { sleep } from '../support/waiting.mjs'

const MIN_KILLS = 3

/** The longest a daemon lives with its link up before it is killed, in milliseconds. */
const MAX_LIFE_MS = 800

export default {
  name: 'link-daemon-kills',
  promise: 'FED-05, FED-27',
  summary: 'kill -9 of the daemons of both machines under load: nothing lost, twice or out of order',
  async run({ hasTime, random, rounds = Infinity }) {
    return (
      whatIsMissing() ??
      (await withScene({}, async (scene) => {
        let kills = 0
        let orphans = 0
        await scene.speak()
        while ((hasTime() || kills < MIN_KILLS) && kills < rounds) {
          await sleep(random.between(100, MAX_LIFE_MS))
          const victim = scene.nodes[kills % scene.nodes.length]
          orphans += (await restart(scene, victim)) ? 1 : 0
          kills += 1
        }
        const { figures, holds } = await scene.settle()
        return {
          daemon_kills: kills,
          bridges_left_behind: orphans,
          ...figures,
          holds: holds && orphans === 0,
        }
      }))
    )
  },
}

/** @returns whether its bridge outlived it */
async function restart(scene, victim) {
  const isOrphaned = await victim.kill()
  const speakers = scene.speakersOf(victim.name)
  for (const one of speakers) one.drop()
  await victim.start()
  await scene.speak(speakers)
  await victim.become('up')
  return isOrphaned
}
