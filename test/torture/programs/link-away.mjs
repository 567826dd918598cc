/**
 * A machine is away for longer than anybody retains: what it has missed is told once, before anything that came later, in
 * every stream, also in one that is opened afterwards from a place before it; and nothing else is missing (FT-08, FED-22,
 * FED-28).
 */
import { whatIsMissing } from '../support/link/hub-parts.mjs'
import { withScene } from '../support/link/scene.mjs'
import { Listener } from '../support/link/speakers.mjs'
import { sleep, waitFor } from '../support/waiting.mjs'

/** So few batches are kept by the hub, and so few frames by the speaking machine: either is full within a second. */
const HUB_KEEPS = 30
const RING_KEEPS = 100

/** A speaker says something every so many milliseconds, and who is away is away for so long. */
const PAUSE_MS = 30
const AWAY_MS = 3_000

const NODE = (name) => (name === 'laptop' ? { config: { ring: { max_frames: RING_KEEPS } } } : {})

export default {
  name: 'link-away',
  promise: 'FED-22, FED-28',
  summary:
    'a machine away for longer than the hub, and the ring, keep: the hole is told once and in its place',
  async run({ hasTime }) {
    const hub = { stream: { max_msgs: HUB_KEEPS } }
    const speaker = { pauseMs: PAUSE_MS, window: 1 }
    return (
      whatIsMissing() ??
      (await withScene({ hub, node: NODE, speaker }, async (scene) => {
        const faults = []
        let absences = 0
        let missed = 0
        scene.speakers = scene.speakersOf('laptop')
        await scene.speak()
        await sleep(500)
        do {
          // The reader's way, so that the hub trims; then the writer's, so that its ring does.
          for (const name of ['devbox', 'laptop']) {
            const { fault, missing } = await beAway(scene, name)
            if (fault !== undefined) faults.push(`${name} away: ${fault}`)
            absences += 1
            missed += missing
          }
        } while (hasTime())
        await scene.hush()
        const { twice, outOfOrder } = scene.listener('devbox').account
        return {
          absences,
          frames_missed_and_told: missed,
          twice,
          out_of_order: outOfOrder,
          ...(faults.length > 0 && { faults: faults.join('; ') }),
          holds: faults.length === 0 && twice + outOfOrder === 0 && missed > 0,
        }
      }))
    )
  },
}

/** One absence. @returns how many frames were missed, and what is wrong with how that was told */
async function beAway(scene, name) {
  const devbox = scene.listener('devbox')
  const way = scene.way(name)
  const { cursor } = devbox
  devbox.account.log = []
  await waitFor(() => devbox.account.log.length > RING_KEEPS / 4, 10_000)
  way.cut()
  way.drop()
  await sleep(AWAY_MS)
  // While it catches up nothing is said, or a busy machine could miss more of a hub that keeps so little.
  await scene.hush()
  const said = new Map(scene.speakers.map((one) => [one.name, Math.max(...one.acked.keys())]))
  way.heal()
  await waitFor(() => isAt(devbox.account.log, said), 20_000)
  await scene.speak()
  const later = await readAgain(devbox.node, cursor, said)
  const [live, again] = [devbox.account.log, later].map((log) => holeIn(log))
  const fault = live.fault ?? (again.fault && `in a stream that was opened later, ${again.fault}`)
  return { missing: live.missing, fault }
}

/** Whether the last word of every speaker has come. */
function isAt(log, said) {
  return [...said].every(([name, number]) => log.some((one) => one.name === name && one.number >= number))
}

/** @returns the log of a stream that begins at a cursor, up to the same place */
async function readAgain(node, cursor, said) {
  const reader = new Listener(node)
  reader.account.log = []
  await reader.open(cursor)
  await waitFor(() => isAt(reader.account.log, said), 10_000)
  reader.close()
  return reader.account.log
}

/** What is wrong with the hole in a log, and how many frames it stands for. */
function holeIn(log) {
  const places = log.flatMap(({ gap }, i) => (gap === undefined ? [] : [i]))
  if (places.length !== 1)
    return {
      missing: 0,
      fault: `the hole was told ${places.length} times: ${JSON.stringify(places.map((i) => log[i].gap))}`,
    }
  const [at] = places
  const { gap } = log[at]
  if (gap.reason !== 'remote' || gap.node !== 'laptop')
    return { missing: 0, fault: `it was told as ${JSON.stringify(gap)}` }
  let missing = 0
  const last = new Map()
  for (const [i, { name, number }] of log.entries()) {
    const skipped = number - (last.get(name) ?? number) - 1
    if (skipped > 0 && log.findIndex((one, k) => k > at && one.name === name) !== i)
      return { missing, fault: `${skipped} frames are missing elsewhere than in the hole` }
    if (skipped > 0) missing += skipped
    if (name !== undefined) last.set(name, number)
  }
  return { missing, fault: missing > 0 ? undefined : 'it was told, and nothing is missing' }
}
