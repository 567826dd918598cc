/** L-05: frames delivered on the other machine, against messages that plain JetStream and Redis Streams acknowledge. */
import { ratioLine } from '../support/contest.mjs'
import { measureLinkLoad, WINDOW } from '../support/link/load.mjs'
import { notTaken, whyNoPair } from '../support/link/pair.mjs'

export const row = {
  id: 'L-05',
  reason:
    'Every frame is validated and kept twice, on both machines, beside the stream of the hub; the peer keeps octets once. ' +
    'Five processes and the client share the cores.',
  async run(context) {
    const line = { what: `delivered there, window ${WINDOW}`, unit: '/s' }
    const target = { atLeast: 0.3 }
    if (whyNoPair() !== undefined) return [notTaken({ ...line, target })]
    const samples = await measureLinkLoad(context)
    const own = samples.get('agentd').map(({ delivered }) => delivered)
    const against = (name, more) => {
      const values = samples.get(name)?.map(({ accepted }) => accepted)
      const missing = 'redis-server is not installed: ratio not taken'
      return ratioLine({ ...line, ...more, own, peer: values && { name, values }, missing })
    }
    return [against('jetstream', { target }), against('jetstream tls'), against('redis streams')]
  },
}
