/**
 * L-01 and L-02 are one measurement: what the way between two machines adds to a frame, one at a time, and what plain
 * JetStream and Redis Streams take for a message of the same octets on the same loopback.
 */
import { hasRedis } from '../redis.mjs'
import { compete, ratioLine, stopAll } from '../contest.mjs'
import { MARKER } from '../frames.mjs'
import { MarkerCounter } from '../marker-counter.mjs'
import { quantile } from '../statistics.mjs'
import { openJet, startJetWay } from './jet.mjs'
import { notTaken, startPair, whyNoPair } from './pair.mjs'
import { startRedisWay } from './redis-reader.mjs'

/** How long a frame may take to be everywhere before the run has failed, in milliseconds. */
const STALL_MS = 10_000

const SHARED = 'link latency'

/**
 * @param peer - `jetstream` or `redis streams`
 * @returns the lines of that peer
 */
export async function latencyLines(context, { peer, missing, target }) {
  const what = 'added between two machines, one at a time, p50'
  if (whyNoPair() !== undefined) return [notTaken({ what, unit: 'µs', target })]
  if (!context.shared.has(SHARED)) context.shared.set(SHARED, await measure(context))
  const samples = context.shared.get(SHARED)
  const read = (name, q) => samples.get(name)?.map((micros) => quantile(micros, q))
  const lineAt = (text, q, wanted) =>
    ratioLine({
      what: text,
      unit: 'µs',
      own: read('agentd', q),
      peer: samples.has(peer) ? { name: peer, values: read(peer, q) } : undefined,
      missing,
      target: wanted,
    })
  return [lineAt(what, 0.5, target), lineAt('the same, p99', 0.99)]
}

async function measure(context) {
  const servers = []
  try {
    const pair = await startPair()
    servers.push(pair)
    const contenders = [{ name: 'agentd', sample: (scale) => samplePair(pair, scale) }]
    const jet = await startJetWay()
    servers.push(jet)
    contenders.push({ name: jet.name, sample: (scale) => sampleJet(jet, scale) })
    if (hasRedis()) {
      const redis = await startRedisWay()
      servers.push(redis)
      contenders.push({ name: redis.name, sample: (scale) => sampleRedis(redis, scale) })
    }
    // As for P-01: compiled code first, for everybody.
    for (const one of contenders) await one.sample(context.scale.linkLatency)
    return await compete(context, contenders, (one) => one.sample(context.scale.linkLatency))
  } finally {
    await stopAll(servers)
  }
}

/**
 * One at a time.
 *
 * @param send - sends one
 * @param attach - is given `took(micros)`, to be called when one has come, and `fail(error)`
 * @returns microseconds of each, without those to warm up with
 */
async function oneAtATime({ samples, warmup }, attach) {
  const micros = []
  let watch
  try {
    await new Promise((resolve, reject) => {
      let came = 0
      let before = -1
      const send = attach((one) => {
        if (came >= warmup) micros.push(one)
        came += 1
        if (came === samples + warmup) resolve()
        else send()
      }, reject)
      watch = setInterval(() => {
        if (came === before)
          reject(new Error(`after ${came} frames the next one did not come in ${STALL_MS} ms`))
        before = came
      }, STALL_MS)
      send()
    })
  } finally {
    clearInterval(watch)
  }
  return micros
}

/** Between its arrival at a reader of the machine where it was said and at one of the other. */
async function samplePair({ near, far }, scale) {
  const publisher = await near.openPublisher()
  const readers = [await near.openSubscriber(), await far.openSubscriber()]
  const batches = near.batches()
  try {
    return await oneAtATime(scale, (took, fail) => {
      let cameMs = []
      for (const connection of [publisher, ...readers]) connection.onLost = fail
      for (const [i, reader] of readers.entries()) {
        const counter = new MarkerCounter(MARKER)
        reader.onBytes = (buffer, length) => {
          if (counter.feed(buffer, length) === 0) return
          cameMs[i] = performance.now()
          if (cameMs[0] === undefined || cameMs[1] === undefined) return
          const [localMs, remoteMs] = cameMs
          cameMs = []
          took((remoteMs - localMs) * 1_000)
        }
      }
      return () => publisher.write(batches(1))
    })
  } finally {
    for (const connection of [publisher, ...readers]) connection.close()
  }
}

/** From the publishing to the consumer. */
async function sampleJet({ port }, scale) {
  let onMessage
  const jet = await openJet(port, () => onMessage?.())
  try {
    return await oneAtATime(scale, (took, fail) => {
      let sentMs = 0
      onMessage = () => took((performance.now() - sentMs) * 1_000)
      return () => {
        sentMs = performance.now()
        jet.publish().catch((error) => fail(error))
      }
    })
  } finally {
    onMessage = undefined
    await jet.close()
  }
}

/** From `XADD` to the answer of `XREAD BLOCK`. */
async function sampleRedis(redis, scale) {
  const publisher = await redis.openPublisher()
  const batches = redis.batches()
  let onEntries
  const reader = await redis.openReader(() => onEntries?.())
  try {
    return await oneAtATime(scale, (took, fail) => {
      let sentMs = 0
      for (const connection of [publisher, reader]) connection.onLost = fail
      onEntries = () => took((performance.now() - sentMs) * 1_000)
      return () => {
        sentMs = performance.now()
        publisher.write(batches(1))
      }
    })
  } finally {
    for (const connection of [publisher, reader]) connection.close()
  }
}
