/**
 * A hub that delivers every batch several times, old ones long after new ones: the marks know each by its place and nothing of
 * it happens twice, whatever its age (FT-07, FED-05, FED-27).
 */
import { Ghost } from '../support/link/forgery.mjs'
import { whatIsMissing } from '../support/link/hub-parts.mjs'
import { withScene } from '../support/link/scene.mjs'
import { sleep } from '../support/waiting.mjs'

/** How often a batch is delivered once more, and how many more of them at least. */
const MAX_TIMES = 4
const MIN_REPEATED = 200

/** What is said meanwhile, in milliseconds. */
const SPOKEN_MS = 1_000

export default {
  name: 'link-repeats',
  promise: 'FED-05, FED-27',
  summary: 'a hub that delivers every batch up to five times, out of order: each is applied once',
  async run({ hasTime, random }) {
    return (
      whatIsMissing() ??
      (await withScene({}, async (scene) => {
        const ghost = await Ghost.rise(scene.hub, 'laptop')
        try {
          const heard = ghost.overhear()
          let repeated = 0
          await scene.speak()
          do {
            await sleep(SPOKEN_MS)
            // What comes back is heard here as well, and does not come back for ever.
            const own = heard.splice(0)
            for (const { subject, body, signature } of own) {
              const times = random.between(0, MAX_TIMES)
              for (let i = 0; i < times; i += 1) await ghost.put(subject, body, signature)
              repeated += times
              // A batch of long ago behind that of now.
              const old = random.pick(own)
              await ghost.put(old.subject, old.body, old.signature)
              repeated += 1
            }
            heard.splice(0)
          } while (hasTime() || repeated < MIN_REPEATED)
          const { figures, holds } = await scene.settle()
          const links = await Promise.all(scene.nodes.map((one) => one.link()))
          const known = links.reduce((sum, link) => sum + link.figures.repeats, 0)
          return {
            batches_repeated: repeated,
            records_known_already: known,
            states: links.map(({ state }) => state).join(' '),
            ...figures,
            holds: holds && known >= repeated / 2,
          }
        } finally {
          await ghost.vanish()
        }
      }))
    )
  },
}
