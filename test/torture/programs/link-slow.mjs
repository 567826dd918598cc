/**
 * A way of 128 kbit/s, one with a round trip of 200 ms, and one that loses a packet of a hundred: the bridge fills the first and
 * is not held up by the others, with batches that grow and shrink, and needs no more memory for any (FT-06, FED-18).
 *
 * The kernel makes a wire slow and loses packets, where machines have networks of their own; the long way is a proxy in any case.
 */
import { readFileSync } from 'node:fs'
import { whatIsMissing } from '../support/link/hub-parts.mjs'
import { withScene } from '../support/link/scene.mjs'
import { canLose, isApart } from '../support/namespaces.mjs'
import { sleep } from '../support/waiting.mjs'

/** 128 kbit/s in octets, both ways together, and half a round trip in milliseconds. */
const RATE = 16_000
const DELAY_MS = 100

/** One packet of so many is lost. */
const LOST_OF = 100

/** More than a way of 200 ms carries: whoever says less than that is what is measured. */
const SPEAKING = { pauseMs: 40, window: 32 }

/** How long each is watched in a short round, in milliseconds. */
const WATCHED_MS = 4_000

/** The share of a slow way that has to be used, and how much a bridge may grow, in MiB. */
const SHARE = 0.8
const GROWN_MIB = 32

export default {
  name: 'link-slow',
  promise: 'FED-18',
  summary:
    'a way of 128 kbit/s is filled, one of 200 ms or with lost packets holds nothing up, the bridge stays small',
  async run({ minutes, note }) {
    const watchedMs = Math.max(WATCHED_MS, minutes * 20_000)
    return (
      whatIsMissing() ??
      (await withScene({ speaker: SPEAKING, isLong: true }, async (scene) => {
        const laptop = scene.node('laptop')
        const way = scene.way('laptop')
        scene.speakers = scene.speakersOf('laptop')
        await scene.speak()
        await sleep(500)
        const before = rssMib(laptop.bridgePid())
        const far = await watch(scene, watchedMs, () => (way.delayMs = DELAY_MS))
        way.delayMs = 0
        const lossy = canLose() ? await watchLosing(scene, watchedMs) : undefined
        if (lossy === undefined)
          note(
            `no packets are lost: ${isApart ? 'nft is not installed' : 'without --namespaces nothing can'}`,
          )
        const slow = await watch(scene, watchedMs, () => (way.rate = RATE))
        const after = rssMib(laptop.bridgePid())
        way.rate = undefined
        // What waited behind the slow way is told by it too.
        const { figures, holds } = await scene.settle()
        const share = slow.octets / slow.seconds / RATE
        return {
          far_frames_per_second: Math.round(far.heard / far.seconds),
          far_said_per_second: Math.round(far.said / far.seconds),
          ...lossy,
          slow_frames_per_second: Math.round(slow.heard / slow.seconds),
          slow_share_used: Math.round(100 * share) / 100,
          bridge_rss_before_mib: before,
          bridge_rss_after_mib: after,
          ...figures,
          holds: holds && share >= SHARE && after - before <= GROWN_MIB,
        }
      }))
    )
  },
}

async function watchLosing(scene, forMs) {
  const way = scene.way('laptop')
  const found = await watch(scene, forMs, () => way.loseOneOf(LOST_OF))
  return {
    lossy_frames_per_second: Math.round(found.heard / found.seconds),
    lossy_said_per_second: Math.round(found.said / found.seconds),
    packets_lost: way.stopLosing(),
  }
}

/** @returns what was said and heard, and the octets that went over the way, in how many seconds */
async function watch(scene, forMs, worsen) {
  const way = scene.way('laptop')
  const said = () => scene.speakers.reduce((sum, one) => sum + one.acked.size, 0)
  const heard = () =>
    [...scene.listener('devbox').account.heard.values()].reduce((sum, { size }) => sum + size, 0)
  worsen()
  // Until what is under way fills it.
  await sleep(500)
  const [saidBefore, heardBefore, octetsBefore, startedMs] = [said(), heard(), way.carried, performance.now()]
  await sleep(forMs)
  return {
    said: said() - saidBefore,
    heard: heard() - heardBefore,
    octets: way.carried - octetsBefore,
    seconds: (performance.now() - startedMs) / 1_000,
  }
}

function rssMib(pid) {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kib) / 1_024)
}
