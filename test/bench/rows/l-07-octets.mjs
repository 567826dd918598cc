/** L-07: octets of a record as it stands in the lane, of the frame's text in it. */
import { ratioLine, stopAll } from '../support/contest.mjs'
import { hearRecords } from '../support/link/overhear.mjs'
import { notTaken, startPair, whyNoPair } from '../support/link/pair.mjs'

export const row = {
  id: 'L-07',
  async run({ scale }) {
    const line = { what: 'a record in the lane', unit: 'octets', target: { atMost: 1.3 } }
    if (whyNoPair() !== undefined) return [notTaken(line)]
    const servers = []
    try {
      const pair = await startPair()
      servers.push(pair)
      const { records, frames, bodies } = await hearRecords(pair, scale.linkRecords)
      const peer = { name: "the frame's text", values: [frames] }
      return [
        ratioLine({ ...line, own: [records], peer }),
        ratioLine({ what: 'with its share of head and signature', unit: 'octets', own: [bodies], peer }),
      ]
    } finally {
      await stopAll(servers)
    }
  },
}
