/** P-10: from the spawn of a daemon to its first answer, against `node -e 0` on the same core. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { prepareDaemon, startAgentd } from '../support/agentd.mjs'
import { ratioLine } from '../support/contest.mjs'
import { sendFrames } from '../support/load.mjs'
import { onServerCore } from '../support/machine.mjs'
import { startTimed } from '../support/starting.mjs'
import { median } from '../support/statistics.mjs'

export const row = {
  id: 'P-10',
  async run(context) {
    const { ringFrames } = context.scale
    const empty = prepareDaemon()
    const full = prepareDaemon()
    try {
      const daemon = await startAgentd({ place: full })
      await sendFrames(daemon, { count: ringFrames })
      await daemon.halt()
      const samples = await timeStarts(context, {
        'ring empty': () => timeStart(empty, 'SIGTERM'),
        [`ring of ${ringFrames}`]: () => timeStart(full, 'SIGTERM'),
        // The last start of a round is cut off, so that the next of this kind finds what a kill leaves.
        [`ring of ${ringFrames}, after kill -9`]: () => timeStartAfterKill(full),
        'node -e 0': () => timeNode(empty),
      })
      const values = samples.get('node -e 0')
      return [...samples.keys()]
        .filter((name) => name !== 'node -e 0')
        .map((name) =>
          ratioLine({
            what: `start to first answer, ${name}`,
            unit: 'ms',
            own: samples.get(name),
            peer: { name: 'node -e 0', values },
            target: { atMost: 5 },
          }),
        )
    } finally {
      for (const { dir } of [empty, full]) dir.remove()
    }
  },
}

/** @returns Map from a name to the medians of the rounds */
async function timeStarts({ scale, quiet }, kinds) {
  const medians = new Map(Object.keys(kinds).map((name) => [name, []]))
  for (let round = 0; round < scale.rounds; round += 1) {
    await quiet()
    const times = new Map(Object.keys(kinds).map((name) => [name, []]))
    for (let i = 0; i < scale.starts; i += 1) {
      for (const [name, time] of Object.entries(kinds)) times.get(name).push(await time())
    }
    for (const [name, samples] of times) medians.get(name).push(median(samples))
  }
  return medians
}

/** @returns milliseconds */
async function timeStart(place, signal) {
  const { ms, daemon } = await startTimed(place)
  await daemon.halt(signal)
  return ms
}

async function timeStartAfterKill(place) {
  await timeStart(place, 'SIGKILL')
  return timeStart(place, 'SIGTERM')
}

/** In the daemon's own environment: one variable can cost Node more than the rest of its start. */
async function timeNode({ env }) {
  const [program, ...args] = onServerCore([process.execPath, '-e', '0'])
  const startedMs = performance.now()
  await once(spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] }), 'exit')
  return performance.now() - startedMs
}
