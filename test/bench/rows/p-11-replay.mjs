/** P-11: replay of retained frames to a reader against reading them from the same file with one SELECT. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { prepareDaemon, startAgentd } from '../support/agentd.mjs'
import { ratioLine } from '../support/contest.mjs'
import { sendFrames } from '../support/load.mjs'
import { onServerCore } from '../support/machine.mjs'
import { timeReplay } from '../support/replay.mjs'
import { findDependency } from '../support/root.mjs'
import { median } from '../support/statistics.mjs'

const FRAMES = 10_000

const SELECT = fileURLToPath(new URL('../support/select-frames.mjs', import.meta.url))

export const row = {
  id: 'P-11',
  async run(context) {
    const { scale, quiet } = context
    const driver = findDependency('better-sqlite3')
    const base = { what: `replay of ${FRAMES} retained frames`, unit: '/s', target: { atLeast: 0.5 } }
    if (driver === undefined) {
      return [{ ...base, figure: null, peer: null, held: null, note: 'better-sqlite3 is not installed' }]
    }
    const place = prepareDaemon()
    try {
      await fill(place, Math.max(FRAMES + 1_000, scale.ringFrames))
      const own = []
      const select = []
      for (let round = 0; round < scale.rounds; round += 1) {
        await quiet()
        own.push(await replayRate(place, scale.replays))
        select.push(selectRate({ driver, path: place.dir.file('state', 'ring.db') }, scale.replays))
      }
      return [ratioLine({ ...base, own, peer: { name: 'one SELECT', values: select } })]
    } finally {
      place.dir.remove()
    }
  },
}

async function fill(place, count) {
  const daemon = await startAgentd({ place })
  try {
    await sendFrames(daemon, { count })
  } finally {
    await daemon.halt()
  }
}

/** A daemon that has not seen the frames itself: they come from the disk. */
async function replayRate(place, repeats) {
  const daemon = await startAgentd({ place })
  try {
    const { ring } = await daemon.health()
    const [epoch, seq] = ring.newest_event_id.split('-')
    const after = `${epoch}-${Number(seq) - FRAMES}`
    const times = []
    for (let i = 0; i <= repeats; i += 1)
      times.push(await timeReplay(daemon.socketPath, { after, frames: FRAMES }))
    return (FRAMES / median(times.slice(1))) * 1_000
  } finally {
    await daemon.halt()
  }
}

/** The daemon has let go of the file; a process of the same kind reads it. */
function selectRate({ driver, path }, repeats) {
  const command = onServerCore([process.execPath, SELECT, driver, path, String(FRAMES), String(repeats)])
  const times = JSON.parse(execFileSync(command[0], command.slice(1), { encoding: 'utf8', timeout: 60_000 }))
  return (FRAMES / median(times)) * 1_000
}
