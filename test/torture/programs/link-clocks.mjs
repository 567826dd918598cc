/**
 * A machine whose clock is minutes or days wrong: nothing it says is refused for that, expiry is right by the clock of who
 * receives, and whoever looks is told of it (FT-10, FED-32).
 */
import { fakeClock, findFaketime } from '../support/faketime.mjs'
import { makeFrame } from '../support/frames.mjs'
import { whatIsMissing } from '../support/link/hub-parts.mjs'
import { withScene } from '../support/link/scene.mjs'
import { sleep, waitFor } from '../support/waiting.mjs'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** How wrong; a short round takes the first of each way. */
const SHIFTS_MS = [10 * MINUTE_MS, -10 * MINUTE_MS, DAY_MS, -DAY_MS]

/** What is said with each, in milliseconds, and how far an offset may be from the truth. */
const SPOKEN_MS = 1_500
const OFF_MS = 2_000

/** A frame that lives so long, and one that has been dead for as long when it is accepted nowhere. */
const TTL_MS = 60_000

export default {
  name: 'link-clocks',
  promise: 'FED-32',
  summary:
    'a machine whose clock is minutes or days wrong: nothing refused, expiry right, and the offset is told',
  async run({ minutes, note }) {
    const library = findFaketime()
    if (library === undefined) return { skipped: 'libfaketime is not installed', missing: 'libfaketime' }
    const missing = whatIsMissing()
    if (missing !== undefined) return missing
    const all = []
    for (const shiftMs of minutes >= 1 ? SHIFTS_MS : [SHIFTS_MS[0], SHIFTS_MS[3]]) {
      const one = await withShift(shiftMs, library)
      note(`${shiftMs} ms: ${JSON.stringify(one)}`)
      all.push(one)
    }
    const sum = (key) => all.reduce((total, one) => total + one[key], 0)
    const keys = [
      'acked_frames',
      'lost',
      'twice',
      'out_of_order',
      'refused',
      'refused_there',
      'dropped_unexpired',
    ]
    return {
      shifts: all.map(({ told_ms }) => `${Math.round(told_ms / 1_000)} s`).join(', '),
      ...Object.fromEntries(keys.map((key) => [key, sum(key)])),
      offset_off_by_ms_max: Math.max(...all.map(({ off_ms }) => off_ms)),
      holds: all.every(({ holds }) => holds),
    }
  },
}

async function withShift(shiftMs, library) {
  const wrong = { env: fakeClock(shiftMs, library) }
  const node = (name) => (name === 'devbox' ? wrong : {})
  const speaker = (name) => (name === 'devbox' ? { clockMs: shiftMs } : {})
  return await withScene({ node, speaker, hub: { backdated: true } }, async (scene) => {
    await scene.speak()
    await sleep(SPOKEN_MS)
    const unexpired = await sayWithTtl(scene, shiftMs)
    const { figures, holds } = await scene.settle()
    const link = await scene.node('laptop').link()
    const told = link.nodes.find((one) => one.node === 'devbox')?.offset_ms
    const offMs = Math.abs((told ?? Infinity) - shiftMs)
    const refusedThere = link.figures.refused
    return {
      ...figures,
      refused_there: refusedThere,
      dropped_unexpired: unexpired,
      told_ms: told ?? null,
      off_ms: offMs,
      holds: holds && refusedThere === 0 && unexpired === 0 && offMs <= OFF_MS,
    }
  })
}

/** What has a minute to live by the wrong clock has one by the right clock too. @returns how many did not come */
async function sayWithTtl(scene, shiftMs) {
  const created = new Date(Date.now() + shiftMs).toISOString()
  const text = 'a minute to live'
  const heard = []
  const listener = scene.listener('laptop')
  listener.onEvent = ({ data = '' }) => data.includes(text) && heard.push(data)
  const { status } = await scene
    .node('devbox')
    .ask('/v1/frames', { json: { frame: makeFrame({ text, created_at: created, ttl_ms: TTL_MS }) } })
  await waitFor(() => heard.length > 0, TTL_MS / 4, 20)
  listener.onEvent = undefined
  return status === 200 && heard.length === 1 ? 0 : 1
}
