/** S-03: a frame for one session, and one for the ten of a pattern, over the number of idle subscriptions. */
import { addressed, startAgentd } from '../support/agentd.mjs'
import { compete, stopAll } from '../support/contest.mjs'
import { crowdLimit, openCrowd } from '../support/crowd.mjs'
import { growthLines } from '../support/curve.mjs'
import { measureThroughput } from '../support/load.mjs'

const WINDOW = 256

/** Who the frames are for. */
const AUDIENCES = [
  {
    name: 'to one session',
    subscribers: 1,
    scope: '~alice/target@t1',
    query: () => '?instrument=target&session_id=t1',
  },
  {
    name: 'to 10 of a pattern',
    subscribers: 10,
    scope: '~alice/cc-*',
    query: (i) => `?instrument=cc-${i}&session_id=c${i}`,
  },
]

export const row = {
  id: 'S-03',
  boundMs: 600_000,
  async run(context) {
    const daemons = []
    try {
      for (const size of fitting(context)) {
        const daemon = await startAgentd({
          // All of the crowd is one process, which has a part of the streams otherwise.
          config: { ring: { enabled: false }, limits: { share_percent: 100 } },
        })
        daemons.push({ ...daemon, name: size })
        await openCrowd(daemon, size)
      }
      const lines = []
      for (const audience of AUDIENCES) lines.push(...(await measure(context, daemons, audience)))
      return lines
    } finally {
      await stopAll(daemons)
    }
  },
}

/** All crowds are there at once, so that they take turns; those that the limit on descriptors leaves room for. */
function fitting({ scale, note }) {
  let total = 0
  const sizes = scale.crowds.filter((size) => (total += size) <= crowdLimit())
  if (sizes.length < scale.crowds.length) note(`the limit on descriptors leaves room for ${sizes.join(', ')}`)
  return sizes
}

async function measure(context, daemons, { name, subscribers, ...address }) {
  const contenders = daemons.map((daemon) => addressed(daemon, address))
  const settings = { subscribers, window: WINDOW }
  for (const one of contenders) await measureThroughput(one, { ...settings, ...context.scale.heat })
  const samples = await compete(context, contenders, (one) =>
    measureThroughput(one, { ...settings, ...context.scale.load }),
  )
  return linesOf(samples, { name, subscribers })
}

function linesOf(samples, { name, subscribers }) {
  const time = {
    what: (size) => `time per frame ${name}, among ${size}`,
    unit: 'µs',
    point: { panel: 'time', series: name },
    read: ({ perSecond }) => (1e6 / perSecond) * subscribers,
  }
  if ([...samples.values()].flat().some(({ cpuMicros }) => cpuMicros === null)) {
    return growthLines(samples, time)
  }
  return growthLines(samples, {
    what: (size) => `server CPU per frame ${name}, among ${size}`,
    unit: 'µs',
    point: { panel: 'cpu', series: name },
    read: ({ cpuMicros }) => cpuMicros * subscribers,
  })
}
