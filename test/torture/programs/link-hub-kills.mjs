/**
 * kill -9 of the hub under load, and a start after each: nothing that was believed of it holds when it comes back, and
 * everything is everywhere soon after (FT-02, FED-23).
 */
import { whatIsMissing } from '../support/link/hub-parts.mjs'
import { withScene } from '../support/link/scene.mjs'
import { sleep } from '../support/waiting.mjs'

const MIN_KILLS = 3
const MAX_KILLS = 20

/** The longest it runs, and the longest it is away, in milliseconds. */
const MAX_LIFE_MS = 1_000
const MAX_AWAY_MS = 500

export default {
  name: 'link-hub-kills',
  promise: 'FED-20, FED-23',
  summary: 'kill -9 of the hub under load: nothing lost, twice or out of order',
  async run({ hasTime, random, rounds = MAX_KILLS }) {
    return (
      whatIsMissing() ??
      (await withScene({}, async (scene) => {
        let kills = 0
        await scene.speak()
        while ((hasTime() || kills < MIN_KILLS) && kills < rounds) {
          await sleep(random.between(100, MAX_LIFE_MS))
          await scene.hub.kill()
          await sleep(random.between(0, MAX_AWAY_MS))
          await scene.hub.run()
          for (const one of scene.nodes) await one.become('up')
          kills += 1
        }
        const { figures, holds } = await scene.settle()
        return { hub_kills: kills, ...figures, holds }
      }))
    )
  },
}
