/**
 * L-03, L-04 and L-05 are one measurement: frames as fast as one machine accepts them, within a window, how many of them
 * the other one delivers meanwhile, and what the way between costs; beside plain JetStream with a message each, once without and once
 * with TLS, and Redis Streams, on the same loopback or between the same machines' networks. Redis is spoken to from the hub's.
 */
import { compete, stopAll } from '../contest.mjs'
import { MARKER } from '../frames.mjs'
import { openLoad } from '../load.mjs'
import { readCpuSeconds } from '../machine.mjs'
import { MarkerCounter } from '../marker-counter.mjs'
import { hasRedis } from '../redis.mjs'
import { sleep, until } from '../waiting.mjs'
import { startJetWay } from './jet.mjs'
import { startPair } from './pair.mjs'
import { startRedisWay } from './redis-reader.mjs'

export const WINDOW = 256

/** How long what was accepted may take to be on the other machine when no more comes, in milliseconds. */
const SETTLE_MS = 90_000

const SHARED = 'link load'

/** @returns Map of a contender's name to `{accepted, delivered, cpuMicros}` of each round, the first two a second */
export async function measureLinkLoad(context) {
  if (!context.shared.has(SHARED)) context.shared.set(SHARED, await measure(context))
  return context.shared.get(SHARED)
}

async function measure(context) {
  const { linkLoad } = context.scale
  const servers = []
  try {
    const pair = await startPair()
    servers.push(pair)
    const contenders = [{ name: 'agentd', load: () => loadPair(pair, linkLoad) }]
    const { ways } = pair
    for (const hasTls of [false, true]) {
      const jet = await startJetWay({ ways, hasTls })
      servers.push(jet)
      contenders.push({ name: jet.name, load: () => loadJet(jet, linkLoad) })
    }
    if (hasRedis()) {
      const redis = await startRedisWay()
      servers.push(redis)
      contenders.push({ name: redis.name, load: () => loadRedis(redis, linkLoad) })
    }
    for (const one of contenders) await one.load()
    return await compete(context, contenders, (one) => one.load())
  } finally {
    await stopAll(servers)
  }
}

/** Counts over a while. @param look - gives `{accepted, delivered}` @param pids - whose CPU is counted */
async function over({ warmupMs, measureMs }, { look, pids, pause }) {
  await pause(warmupMs)
  const cpuOf = () => pids.reduce((sum, pid) => sum + readCpuSeconds(pid), 0)
  const [before, cpuBefore, startedMs] = [await look(), cpuOf(), performance.now()]
  await pause(measureMs)
  const [after, cpuAfter, seconds] = [await look(), cpuOf(), (performance.now() - startedMs) / 1_000]
  const delivered = after.delivered - before.delivered
  return {
    accepted: (after.accepted - before.accepted) / seconds,
    delivered: delivered / seconds,
    cpuMicros: ((cpuAfter - cpuBefore) / delivered) * 1e6,
  }
}

/** The bridges' and the hub's CPU. */
async function loadPair({ near, far, linkPids }, scale) {
  let delivered = 0
  const reader = await far.openSubscriber()
  const counter = new MarkerCounter(MARKER)
  reader.onBytes = (buffer, length) => (delivered += counter.feed(buffer, length))
  const { pump, close } = await openLoad(near, { subscribers: 0, window: WINDOW })
  reader.onLost = (error) => pump.lose(error)
  try {
    pump.start()
    const found = await over(scale, {
      look: () => ({ accepted: pump.marks, delivered }),
      pids: linkPids(),
      pause: (ms) => pump.while(sleep(ms)),
    })
    await pump.finish()
    await until(
      () => delivered >= pump.sent,
      SETTLE_MS,
      'what was accepted did not come to the other machine',
    )
    if (delivered !== pump.sent) throw new Error(`${pump.sent} frames were accepted and ${delivered} came`)
    return found
  } finally {
    close()
    reader.close()
  }
}

/** The CPU of publisher, server and consumer. */
async function loadJet({ pid, startConsumer, startPublisher }, scale) {
  const members = []
  try {
    members.push(await startConsumer(), await startPublisher())
    const [consumer, publisher] = members
    await publisher.ask('go')
    const found = await over(scale, {
      look: async () => ({ accepted: await publisher.ask('count'), delivered: await consumer.ask('count') }),
      pids: [pid, ...members.map((member) => member.pid)],
      pause: sleep,
    })
    const sent = await publisher.ask('end')
    const isAllThere = async () => (await consumer.ask('count')) >= sent
    await until(isAllThere, SETTLE_MS, 'what JetStream acknowledged did not come to its consumer')
    return found
  } finally {
    await stopAll(members)
  }
}

/** The server's CPU alone: its reader and its publisher are in this process. */
async function loadRedis(redis, scale) {
  let delivered = 0
  const reader = await redis.openReader((count) => (delivered += count))
  const { pump, close } = await openLoad(redis, { subscribers: 0, window: WINDOW })
  reader.onLost = (error) => pump.lose(error)
  try {
    pump.start()
    const found = await over(scale, {
      look: () => ({ accepted: pump.marks, delivered }),
      pids: [redis.pid],
      pause: (ms) => pump.while(sleep(ms)),
    })
    await pump.finish()
    await until(() => delivered >= pump.sent, SETTLE_MS, 'what Redis acknowledged did not come to its reader')
    return found
  } finally {
    close()
    reader.close()
  }
}
