/**
 * What gathers while a machine is away, and the catching up: everything comes, in order, and whoever speaks meanwhile on the
 * machine that catches up is answered as ever (FT-13, FED-02, FED-25).
 */
import { makeFrame } from '../support/frames.mjs'
import { whatIsMissing } from '../support/link/hub-parts.mjs'
import { Polite } from '../support/link/polite.mjs'
import { withScene } from '../support/link/scene.mjs'
import { startPublisher } from '../support/publisher.mjs'
import { quantile } from '../support/statistics.mjs'
import { sleep, waitFor } from '../support/waiting.mjs'

/** Frames of the backlog in a short round and in a long one. */
const FRAMES = 5_000
const LONG_FRAMES = 100_000

/** How long the polite one is watched with nothing else going on, in milliseconds. */
const IDLE_MS = 1_500

export default {
  name: 'link-backlog',
  promise: 'FED-02, FED-25',
  summary:
    'a backlog of 5 000 frames, in a long round 100 000: all of it comes, and locals are answered meanwhile',
  async run({ minutes, hasTime }) {
    const count = minutes >= 1 ? LONG_FRAMES : FRAMES
    return (
      whatIsMissing() ??
      (await withScene({}, async (scene) => {
        const polite = new Polite(scene.node('devbox'), 9)
        scene.speakers = [polite]
        await scene.speak()
        await sleep(IDLE_MS)
        const idle = await polite.takeLatencies()
        const rates = []
        let lost = 0
        do {
          const round = await catchUp(scene, count)
          rates.push(round.perSecond)
          lost += round.lost
        } while (hasTime())
        const busy = await polite.takeLatencies()
        const { figures, holds } = await scene.settle()
        return {
          backlog: count,
          rounds: rates.length,
          backlog_lost: lost,
          caught_up_per_second: Math.round(Math.max(...rates)),
          polite_p99_idle_ms: Math.round(10 * quantile(idle, 0.99)) / 10,
          polite_p99_meanwhile_ms: Math.round(10 * quantile(busy, 0.99)) / 10,
          ...figures,
          holds: holds && lost === 0,
        }
      }))
    )
  },
}

/** The way of one machine is cut while the other says it all, and heals. */
async function catchUp(scene, count) {
  const [laptop, way] = [scene.node('laptop'), scene.way('devbox')]
  way.cut()
  way.drop()
  const heard = new Map()
  const listener = scene.listener('devbox')
  listener.onEvent = ({ data = '' }) => {
    const number = /"broadcast_text":"of long ago (\d+)"/.exec(data)?.[1]
    if (number !== undefined) heard.set(number, (heard.get(number) ?? 0) + 1)
  }
  const publisher = startPublisher(laptop.socket, {
    maxFrames: count,
    make: (number) => makeFrame({ text: `of long ago ${number}` }),
  })
  await publisher.closed
  const startedMs = performance.now()
  way.heal()
  await waitFor(() => heard.size >= count, 110_000, 5)
  const seconds = (performance.now() - startedMs) / 1_000
  listener.onEvent = undefined
  const twice = [...heard.values()].filter((times) => times !== 1).length
  return {
    perSecond: heard.size / seconds,
    lost: publisher.acked.length - heard.size + twice + publisher.refused.length,
  }
}
