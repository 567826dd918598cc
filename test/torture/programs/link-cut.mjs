/**
 * The way of one machine to the hub is cut without a word, as when a laptop is carried out of a network: everything local
 * works as ever, and what gathered on both sides is everywhere soon after the healing, once and in order (FT-01, FED-02,
 * FED-23).
 */
import { whatIsMissing } from '../support/link/hub-parts.mjs'
import { withScene } from '../support/link/scene.mjs'
import { quantile } from '../support/statistics.mjs'
import { sleep } from '../support/waiting.mjs'

/**
 * Minutes from which on a cut takes so long, and how long what gathered may take to be everywhere, in milliseconds: a lunch, a
 * tunnel, a hiccup. There is one lunch, and everybody speaks more slowly.
 */
const CUTS = [
  { minutes: 12, cutMs: 600_000, settledMs: 200_000, speaker: { pauseMs: 100, window: 4 }, isOnly: true },
  { minutes: 1, cutMs: 20_000, settledMs: 60_000 },
  { minutes: 0, cutMs: 2_000, settledMs: 60_000 },
]

/** How long it is watched before, in milliseconds. */
const UNCUT_MS = 2_000

/** A cut that healed is noticed by then, in milliseconds. */
const HEALED_MS = 10_000

export default {
  name: 'link-cut',
  promise: 'FED-02, FED-23',
  summary: 'the way to the hub is cut without a word, and healed: nothing lost, twice or out of order',
  async run({ minutes, hasTime }) {
    const wish = CUTS.find((one) => minutes >= one.minutes)
    const { speaker, settledMs } = wish
    return (
      whatIsMissing() ??
      (await withScene({ speaker }, async (scene) => {
        await scene.speak()
        const { healed, uncut, cut } = await cutAndHeal(scene, wish.cutMs, () => !wish.isOnly && hasTime())
        const { figures, holds } = await scene.settle({ withinMs: settledMs })
        const slowest = Math.max(...healed)
        return {
          cuts: healed.length,
          cut_ms: wish.cutMs,
          ...figures,
          first_after_healing_ms: Math.round(slowest),
          local_p99_uncut_ms: Math.round(uncut * 100) / 100,
          local_p99_cut_ms: Math.round(cut * 100) / 100,
          local_p99_ratio: Math.round((100 * cut) / uncut) / 100,
          holds: holds && slowest <= HEALED_MS,
        }
      }))
    )
  },
}

/** One machine and then the other. @returns how long each healing took, and the p99 of what is local, in milliseconds */
async function cutAndHeal(scene, cutMs, goesOn) {
  const took = { uncut: [], cut: [] }
  const healed = []
  do {
    const name = healed.length % 2 === 0 ? 'laptop' : 'devbox'
    took.uncut = took.uncut.concat(await watch(scene, UNCUT_MS))
    scene.way(name).cut()
    took.cut = took.cut.concat(await watch(scene, cutMs))
    healed.push(await heal(scene, name))
  } while (goesOn())
  return { healed, uncut: quantile(took.uncut, 0.99), cut: quantile(took.cut, 0.99) }
}

/** @returns how long each local acknowledgement took meanwhile, in milliseconds */
async function watch(scene, forMs) {
  for (const one of scene.speakers) one.takeLatencies()
  await sleep(forMs)
  return scene.speakers.flatMap((one) => one.takeLatencies())
}

/** @returns until the first frame of another machine came to the one that was cut off, in milliseconds */
async function heal(scene, name) {
  const listener = scene.listener(name)
  const healedMs = performance.now()
  const first = new Promise((done) => {
    listener.onHeard = (speaker) => {
      if (!speaker.startsWith(`${name}-`)) done(performance.now() - healedMs)
    }
  })
  scene.way(name).heal()
  const tookMs = await Promise.race([first, sleep(3 * HEALED_MS).then(() => Infinity)])
  listener.onHeard = undefined
  return tookMs
}
