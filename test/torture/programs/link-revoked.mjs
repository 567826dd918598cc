/**
 * One of three machines is taken back while all of them speak: the hub cuts it at once, nothing it says afterwards is
 * applied anywhere, and the others do not notice (FT-09, FED-43).
 */
import { whatIsMissing } from '../support/link/hub-parts.mjs'
import { withScene } from '../support/link/scene.mjs'
import { quantile, summarise } from '../support/statistics.mjs'
import { sleep, waitFor } from '../support/waiting.mjs'

const REVOKED = 'ci'

/** Slow enough that the machine keeps up with all three, so that a lag is somebody's fault. */
const SPEAKER = { pauseMs: 60, window: 1 }

/** What is said before and after, in milliseconds. */
const BEFORE_MS = 1_500
const AFTER_MS = 3_000

/** Within so many it is cut off, and so far the others may lag behind each other, in milliseconds. */
const CUT_MS = 2_000
const LAG_MS = 1_000

export default {
  name: 'link-revoked',
  promise: 'FED-43',
  summary:
    'a machine is taken back under load: cut off within 2 s, nothing of it afterwards, the others undisturbed',
  async run() {
    return (
      whatIsMissing() ??
      (await withScene({ names: ['laptop', 'devbox', REVOKED], speaker: SPEAKER }, async (scene) => {
        const others = scene.listeners.filter(({ node }) => node.name !== REVOKED)
        await scene.speak()
        const lagsBefore = watchLags(scene, others)
        await sleep(BEFORE_MS)
        const lags = watchLags(scene, others)
        const revokedMs = performance.now()
        await scene.hub.revoke(REVOKED)
        const cutMs = await waitFor(
          async () =>
            scene.way(REVOKED).connections === 0 || (await scene.node(REVOKED).link())?.state === 'refused',
          30_000,
          20,
        )
        // What the engine took before the word of it is still on its way to the others.
        await sleep(Math.max(0, CUT_MS - (performance.now() - revokedMs)))
        const before = heardOf(others)
        await sleep(AFTER_MS)
        const after = heardOf(others)
        const spoken = scene.speakersOf(REVOKED)
        await scene.hush(spoken)
        const link = await scene.node(REVOKED).link()
        // What it said alone is owed to nobody any more.
        scene.speakers = scene.speakers.filter((one) => !spoken.includes(one))
        scene.listeners.find(({ node }) => node.name === REVOKED).close()
        scene.listeners = others
        const { figures, holds } = await scene.settle()
        // The worst of them says how busy the machine is; the middle one, what the others notice.
        const usual = quantile(lags, 0.5)
        return {
          ...figures,
          cut_off_ms: Math.round(cutMs ?? Infinity),
          records_after_it: after - before,
          state_of_the_revoked: link?.state ?? 'no answer',
          why: link?.why ?? '',
          ...summarise('others_lag_before_ms', lagsBefore),
          ...summarise('others_lag_after_ms', lags),
          holds: holds && cutMs <= CUT_MS && after === before && link?.state === 'refused' && usual <= LAG_MS,
        }
      }))
    )
  },
}

/** How many frames of the revoked machine have come to the others. */
function heardOf(listeners) {
  let count = 0
  for (const { account } of listeners)
    for (const [name, heard] of account.heard) if (name.startsWith(`${REVOKED}-`)) count += heard.size
  return count
}

/** From an acknowledgement on one machine to the arrival on another. @returns a list that grows, in milliseconds */
function watchLags(scene, listeners) {
  const lags = []
  for (const one of listeners) {
    one.onHeard = (name, number) => {
      const ackedMs = scene.speakers.find((speaker) => speaker.name === name)?.ackedMs.get(number)
      if (ackedMs !== undefined && !name.startsWith(REVOKED) && !name.startsWith(one.node.name))
        lags.push(performance.now() - ackedMs)
    }
  }
  return lags
}
