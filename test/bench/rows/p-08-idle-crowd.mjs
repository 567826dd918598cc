/** P-08: a frame for one session among ten thousand idle subscriptions against one among ten. */
import { startAgentd } from '../support/agentd.mjs'
import { compete, ratioLine, stopAll } from '../support/contest.mjs'
import { openCrowd } from '../support/crowd.mjs'
import { measureThroughput } from '../support/load.mjs'

const WINDOW = 256
const FEW = 10

const TARGET = { query: () => '?instrument=target&session_id=t1', scope: '~alice/target@t1' }

export const row = {
  id: 'P-08',
  async run(context) {
    const servers = []
    try {
      // All of the crowd is one process, which has a part of the streams otherwise.
      const config = { ring: { enabled: false }, limits: { share_percent: 100 } }
      const [many, few] = [await startAgentd({ config, ...TARGET }), await startAgentd({ config, ...TARGET })]
      servers.push(many, few)
      const crowd = await openCrowd(many, context.scale.idleSubscriptions)
      await openCrowd(few, FEW)
      const contenders = [
        { ...many, name: 'many' },
        { ...few, name: 'few' },
      ]
      for (const contender of contenders) {
        await measureThroughput(contender, { subscribers: 1, window: WINDOW, ...context.scale.heat })
      }
      const settings = { subscribers: 1, window: WINDOW, ...context.scale.load }
      const samples = await compete(context, contenders, (contender) =>
        measureThroughput(contender, settings),
      )
      return linesOf(samples, crowd.length)
    } finally {
      await stopAll(servers)
    }
  },
}

function linesOf(samples, crowd) {
  const [many, few] = [samples.get('many'), samples.get('few')]
  const among = `one session among ${crowd} idle subscriptions`
  const wall = { what: `time per frame, ${among}`, unit: 'µs', own: timeOf(many), peer: peerOf(timeOf(few)) }
  if (many.some(({ cpuMicros }) => cpuMicros === null))
    return [ratioLine({ ...wall, target: { atMost: 1.2 } })]
  const cpu = { own: cpuOf(many), peer: peerOf(cpuOf(few)) }
  return [
    ratioLine({ what: `server CPU per frame, ${among}`, unit: 'µs', ...cpu, target: { atMost: 1.2 } }),
    ratioLine(wall),
  ]
}

function peerOf(values) {
  return { name: `among ${FEW}`, values }
}

function cpuOf(samples) {
  return samples.map(({ cpuMicros }) => cpuMicros)
}

/** Microseconds from one frame to the next. */
function timeOf(samples) {
  return samples.map(({ perSecond }) => 1e6 / perSecond)
}
