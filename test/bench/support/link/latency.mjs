/**
 * L-01 and L-02 are one measurement: what the way between two machines adds to a frame, one at a time, and what plain
 * JetStream, once without and once with TLS, and Redis Streams take for a message of the same octets between two processes: on the
 * same loopback, or between the networks of the same machines.
 */
import { hasRedis } from '../redis.mjs'
import { compete, ratioLine, stopAll } from '../contest.mjs'
import { MARKER } from '../frames.mjs'
import { readFineCpuSeconds } from '../machine.mjs'
import { MarkerCounter } from '../marker-counter.mjs'
import { quantile } from '../statistics.mjs'
import { startJetWay } from './jet.mjs'
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
  const read = (name, q) => samples.get(name)?.map(({ micros }) => quantile(micros, q))
  const readCpu = (name) => samples.get(name)?.map(({ cpuMicros }) => cpuMicros)
  const lineAt = (text, q, wanted) =>
    ratioLine({
      what: text,
      unit: 'µs',
      own: read('agentd', q),
      peer: samples.has(peer) ? { name: peer, values: read(peer, q) } : undefined,
      missing,
      target: wanted,
    })
  // What others do with the cores meanwhile makes each waking wait, and costs no process more of its own time.
  const cpu = ratioLine({
    what: 'CPU of both bridges and the hub for each, one at a time',
    unit: 'µs',
    own: readCpu('agentd'),
    peer: samples.has(peer) ? { name: peer, values: readCpu(peer) } : undefined,
    missing,
  })
  return [lineAt(what, 0.5, target), lineAt('the same, p99', 0.99), cpu]
}

async function measure(context) {
  const servers = []
  try {
    const pair = await startPair()
    servers.push(pair)
    const contenders = [{ name: 'agentd', sample: (scale) => samplePair(pair, scale) }]
    const { ways } = pair
    const peers = [() => startJetWay({ ways }), () => startJetWay({ ways, hasTls: true })]
    if (hasRedis()) peers.push(() => startRedisWay({ ways }))
    for (const start of peers) {
      const peer = await start()
      servers.push(peer)
      contenders.push({ name: peer.name, sample: (scale) => sampleMembers(peer, scale) })
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
async function samplePair({ near, far, linkPids }, scale) {
  const publisher = await near.openPublisher()
  const readers = [await near.openSubscriber(), await far.openSubscriber()]
  const batches = near.batches()
  try {
    return await withCpu(linkPids(), scale, () =>
      oneAtATime(scale, (took, fail) => {
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
      }),
    )
  } finally {
    for (const connection of [publisher, ...readers]) connection.close()
  }
}

/** From the sending in one process to the arrival in another. */
async function sampleMembers(peer, scale) {
  const members = []
  try {
    members.push(await peer.startConsumer(), await peer.startPublisher())
    const [consumer, publisher] = members
    await consumer.ask('time')
    const pids = [peer.pid, consumer.pid, publisher.pid]
    return await withCpu(pids, scale, () => askOneAtATime(consumer, publisher, scale))
  } finally {
    await stopAll(members)
  }
}

async function askOneAtATime(consumer, publisher, { samples, warmup }) {
  const micros = []
  for (let i = 0; i < samples + warmup; i += 1) {
    const came = consumer.ask('next')
    const sentMicros = await publisher.ask('once')
    const took = (await came) - sentMicros
    if (i >= warmup) micros.push(took)
  }
  return micros
}

/** @returns what a measurement gives, and the CPU of processes for each of its frames */
async function withCpu(pids, { samples, warmup }, measured) {
  const cpuOf = () => pids.reduce((sum, pid) => sum + readFineCpuSeconds(pid), 0)
  const before = cpuOf()
  const micros = await measured()
  return { micros, cpuMicros: ((cpuOf() - before) / (samples + warmup)) * 1e6 }
}
