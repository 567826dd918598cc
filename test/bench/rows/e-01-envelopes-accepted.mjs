/** E-01: envelopes accepted, unsigned, against frames into the same daemon and against Redis Streams. */
import { startAgentd } from '../support/agentd.mjs'
import { compete, ratioLine, stopAll } from '../support/contest.mjs'
import { makeEnvelopes, measureEnvelopes } from '../support/envelopes.mjs'
import { measureThroughput, sendFrames } from '../support/load.mjs'
import { hasRedis, startRedisStream } from '../support/redis.mjs'

const WINDOW = 256

/** What every store holds before it is measured: from then on each has to drop the oldest. */
const KEPT = 100_000

/** Envelopes of one measurement, for each millisecond that one of frames takes. */
const PER_MS = 10

/** An envelope is looked at more closely than a frame, and keeps an index of workflows up to date. */
const OF_FRAMES = { atLeast: 0.7 }

export const row = {
  id: 'E-01',
  reason:
    'An envelope is a row by itself in three indexes, with its facts as JSON; it is compared with its ' +
    'task, and a line of the log says that it came.',
  async run(context) {
    const { scale } = context
    const count = PER_MS * scale.load.measureMs
    const servers = []
    try {
      const daemon = await startAgentd({ config: { ack: 'process' } })
      servers.push(daemon)
      const redis = hasRedis() ? await startRedisStream('everysec') : undefined
      if (redis !== undefined) servers.push(redis)
      const kept = scale.fill('process', KEPT)
      for (const server of servers) await sendFrames(server, { count: kept, window: WINDOW })
      const send = (count) => measureEnvelopes(daemon, makeEnvelopes(count), WINDOW)
      await send(Math.max(count, kept / 4))
      const contenders = [{ name: 'envelopes' }, { ...daemon, name: 'frames' }, ...servers.slice(1)]
      const settings = { subscribers: 0, window: WINDOW, ...scale.load }
      const samples = await compete(context, contenders, (one) =>
        one.name === 'envelopes' ? send(count) : measureThroughput(one, settings),
      )
      return linesOf(samples, redis?.name)
    } finally {
      await stopAll(servers)
    }
  },
}

function linesOf(samples, redis) {
  const read = (name, member) => samples.get(name)?.map((sample) => sample[member])
  const line = (peer, { what, unit, member, target }) =>
    ratioLine({
      what,
      unit,
      own: read('envelopes', member),
      peer: peer && { name: peer, values: read(peer, member) },
      missing: 'redis-server is not installed: ratio not taken',
      target,
    })
  const rate = { what: `envelopes accepted, window ${WINDOW}`, unit: '/s', member: 'perSecond' }
  // What frames have to reach of Redis is P-04; an envelope is held against a frame.
  const rates = [line('frames', { ...rate, target: OF_FRAMES }), line(redis, rate)]
  if (samples.get('envelopes').some(({ cpuMicros }) => cpuMicros === null)) return rates
  const cost = { what: 'server CPU per accepted envelope', unit: 'µs', member: 'cpuMicros' }
  return [...rates, line('frames', cost)]
}
