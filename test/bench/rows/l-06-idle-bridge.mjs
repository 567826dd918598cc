/** L-06: a bridge with nothing to carry, while the other 63 nodes of an estate say every ten seconds who is there. */
import { figureLine, stopAll } from '../support/contest.mjs'
import { keepPresent } from '../support/link/crowd.mjs'
import { notTaken, startPair, whyNoPair } from '../support/link/pair.mjs'
import { readFineCpuSeconds } from '../support/machine.mjs'
import { sleep } from '../support/waiting.mjs'

/** Nodes beside the pair: 64 with it. */
const OTHERS = Array.from({ length: 62 }, (_, i) => `node-${i + 1}`)

/** How long the bridge rests before it is looked at, in milliseconds: compilers and collectors have work left. */
const REST_MS = 2_000

export const row = {
  id: 'L-06',
  reason:
    'Six presences a second arrive, each a message of the hub that the client of NATS takes apart; they are read every two seconds, a dozen at once, ' +
    'by code that has left the caches by then.',
  async run({ scale, quiet }) {
    const line = { what: 'idle bridge, 64 nodes', unit: '% of a core', target: { atMost: 0.3 } }
    if (whyNoPair() !== undefined) return [notTaken(line)]
    const servers = []
    try {
      const pair = await startPair({ others: OTHERS })
      servers.push(pair)
      const crowd = await keepPresent(pair, OTHERS)
      servers.push(crowd)
      await quiet()
      await crowd.while(sleep(REST_MS))
      const bridge = pair.far.node.bridgePid()
      const [saidBefore, cpuBefore, startedMs] = [crowd.said(), readFineCpuSeconds(bridge), performance.now()]
      await crowd.while(sleep(scale.idleMs))
      const seconds = (performance.now() - startedMs) / 1_000
      const share = (100 * (readFineCpuSeconds(bridge) - cpuBefore)) / seconds
      const rate = ((crowd.said() - saidBefore) / seconds).toFixed(1)
      return [figureLine({ ...line, figure: share, note: `${rate} presences a second` })]
    } finally {
      await stopAll(servers)
    }
  },
}
