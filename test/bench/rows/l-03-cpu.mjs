/** L-03: CPU of both bridges and the hub for each frame, against plain JetStream with a message each. */
import { ratioLine } from '../support/contest.mjs'
import { measureLinkLoad, WINDOW } from '../support/link/load.mjs'
import { notTaken, whyNoPair } from '../support/link/pair.mjs'

export const row = {
  id: 'L-03',
  reason:
    'A batch costs a signature, a publish, an acknowledgement told to the daemon and a post with its answers, however many ' +
    'records it has: the fewer a busy machine gathers in 5 ms, the more of that is in each frame.',
  async run(context) {
    const what = `CPU of both bridges and the hub for each frame, window ${WINDOW}`
    const line = { what, unit: 'µs', target: { atMost: 0.7 } }
    if (whyNoPair() !== undefined) return [notTaken(line)]
    const samples = await measureLinkLoad(context)
    const read = (name) => samples.get(name).map(({ cpuMicros }) => cpuMicros)
    const against = (name, more) =>
      ratioLine({ ...line, ...more, own: read('agentd'), peer: { name, values: read(name) } })
    return [against('jetstream'), against('jetstream tls', { what: `${what}, of TLS`, target: undefined })]
  },
}
