/**
 * kill -9 of the bridges at random moments under load. A bridge has no state: whatever it was doing, the next one finds out
 * from the lane and from the daemon where to go on (FT-04, FED-07, FED-20, FED-21, FED-25).
 */
import { whatIsMissing } from '../support/link/hub-parts.mjs'
import { withScene } from '../support/link/scene.mjs'
import { sleep, waitFor } from '../support/waiting.mjs'

/** At least so many bridges die, also in a round that has no time. */
const MIN_KILLS = 4

/** The longest a bridge works before it is killed, in milliseconds after it was there. */
const MAX_LIFE_MS = 600

/** A killed bridge is started again by then: its back-off is doubled with every end, up to a minute. */
const BACK_MS = 70_000

export default {
  name: 'link-bridge-kills',
  promise: 'FED-07, FED-20, FED-21, FED-25',
  summary: 'kill -9 of the bridges of both machines under load: nothing lost, twice or out of order',
  async run({ hasTime, random, rounds = Infinity }) {
    return (
      whatIsMissing() ??
      (await withScene({}, async (scene) => {
        let kills = 0
        let turns = 0
        let notBack = 0
        await scene.speak()
        while ((hasTime() || kills < MIN_KILLS) && kills < rounds) {
          // One, the other, and both at once: neither may lean on the other.
          const victims = turns % 3 === 2 ? scene.nodes : [scene.nodes[turns % 3]]
          await sleep(random.between(0, MAX_LIFE_MS))
          turns += 1
          kills += victims.filter((one) => one.killBridge()).length
          for (const one of victims)
            if ((await waitFor(() => one.bridgePid() !== undefined, BACK_MS)) === undefined) notBack += 1
        }
        for (const one of scene.nodes) await one.become('up', BACK_MS)
        const { figures, holds } = await scene.settle()
        return { bridge_kills: kills, bridges_not_back: notBack, ...figures, holds: holds && notBack === 0 }
      }))
    )
  },
}
