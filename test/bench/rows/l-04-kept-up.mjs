/** L-04: what the other machine delivers in a second, of what this one accepts in it. */
import { figureLine } from '../support/contest.mjs'
import { measureLinkLoad, WINDOW } from '../support/link/load.mjs'
import { notTaken, whyNoPair } from '../support/link/pair.mjs'
import { median } from '../support/statistics.mjs'

export const row = {
  id: 'L-04',
  reason:
    'Daemons, bridges, hub and the client share the cores; what is accepted meanwhile waits in the ring.',
  async run(context) {
    const line = {
      what: `delivered there of accepted here, window ${WINDOW}`,
      unit: '',
      target: { atLeast: 0.9 },
    }
    if (whyNoPair() !== undefined) return [notTaken(line)]
    const rounds = (await measureLinkLoad(context)).get('agentd')
    const shares = rounds.map(({ accepted, delivered }) => delivered / accepted)
    const range = `${Math.min(...shares).toFixed(2)}–${Math.max(...shares).toFixed(2)}`
    return [figureLine({ ...line, figure: median(shares), note: range })]
  },
}
