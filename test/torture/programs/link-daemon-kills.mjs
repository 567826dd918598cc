/**
 * kill -9 of the daemons at random moments under load, so also between an ingested batch and its answer: marks and cursor
 * are written with the frames, so the same batch again is known whole or not at all. At the end one of them comes back a day later by
 * its clock, to a hub that has forgotten where it was and hands over everything anew: marks know it, whatever its age, and no window of
 * recent ids is asked (FT-05, FED-05, FED-27).
 */
import { whatIsMissing } from '../support/link/hub-parts.mjs'
import { withScene } from '../support/link/scene.mjs'
import { fakeClock, findFaketime } from '../support/faketime.mjs'
import { sleep, waitFor } from '../support/waiting.mjs'

const MIN_KILLS = 3

const DAY_MS = 86_400_000

/** How long what is known already may take to come again, in milliseconds. */
const LATER_MS = 30_000

/** The longest a daemon lives with its link up before it is killed, in milliseconds. */
const MAX_LIFE_MS = 800

export default {
  name: 'link-daemon-kills',
  promise: 'FED-05, FED-27',
  summary:
    'kill -9 of the daemons of both machines under load, and a day between: nothing lost, twice or out of order',
  async run({ hasTime, random, rounds = Infinity, note }) {
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
        const later = await comeBackLater(scene, note)
        const { figures, holds } = await scene.settle()
        return {
          daemon_kills: kills,
          bridges_left_behind: orphans,
          ...later.figures,
          ...figures,
          holds: holds && orphans === 0 && later.holds,
        }
      }))
    )
  },
}

/** One daemon is killed and starts a day later, and the hub with the disk of before: what it has goes all over again. */
async function comeBackLater(scene, note) {
  const library = findFaketime()
  if (library === undefined) {
    note('no day passed: libfaketime is not installed')
    return { figures: { repeated_a_day_later: 'not run: no libfaketime' }, holds: true }
  }
  const victim = scene.node('devbox')
  await scene.hush(scene.speakersOf(victim.name))
  // Everything of before is behind its marks; then it is killed amid what comes.
  const copy = scene.hub.copyDisk()
  await heardSince(scene, victim)
  await victim.kill()
  await scene.hub.kill()
  scene.hub.replaceDisk(copy)
  await scene.hub.run()
  await scene.hub.makeStreams()
  await victim.start(fakeClock(DAY_MS, library))
  for (const one of scene.nodes) await one.become('up')
  await waitFor(async () => ((await victim.link())?.figures.repeats ?? 0) > 0, LATER_MS, 20)
  const { repeats } = (await victim.link()).figures
  return { figures: { repeated_a_day_later: repeats }, holds: repeats > 0 }
}

/** Waits until one machine has heard what was said only now. */
async function heardSince(scene, { name }) {
  const others = scene.speakers.filter((one) => !one.name.startsWith(`${name}-`))
  const said = new Map(others.map((one) => [one.name, Math.max(0, ...one.acked.keys())]))
  const { heard } = scene.listener(name).account
  const hasMore = ([speaker, number]) => [...(heard.get(speaker) ?? [])].some((one) => one > number)
  await waitFor(() => [...said].some(hasMore), LATER_MS, 20)
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
