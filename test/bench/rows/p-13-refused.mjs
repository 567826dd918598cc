/** P-13: what a refused frame costs against an accepted one; each code of a frame's refusal by itself and all of them. */
import { randomUUID } from 'node:crypto'
import { openStream, startAgentd, withLine } from '../support/agentd.mjs'
import { compete, ratioLine, stopAll } from '../support/contest.mjs'
import { ACCEPTED, ACCEPTED_LARGE, REFUSED, TOO_LARGE, lineOf } from '../support/refused-frames.mjs'
import { measureThroughput } from '../support/load.mjs'
import { TEMPLATE_ID } from '../support/frames.mjs'
import { request } from '../support/http.mjs'

const WINDOW = 256

/** A frame of 64 KiB is a hundred others: fewer of them on the way. */
const LARGE_WINDOW = 16

export const row = {
  id: 'P-13',
  reason:
    'Faults of the schema are found by running it (13 µs). A sender over its quota is read ten times a ' +
    'second, and each of its few lines pays for waking a cold process (57 µs); without that code the ' +
    'others cost 0.93.',
  async run(context) {
    const servers = []
    try {
      const open = await start(servers, {})
      const strict = await start(servers, { submissions_per_second: 1, submission_burst: 1 })
      const narrow = await start(servers, { fan_out: 1 })
      for (let i = 0; i < 2; i += 1) await openStream(narrow.socketPath)
      // The burst of one is spent here, and nothing is accepted after it within a round.
      await submit(strict, lineOf(ACCEPTED))
      const refused = [
        ...Object.entries(REFUSED).map(([name, members]) => contender(open, name, lineOf(members))),
        contender(strict, 'rate-limited', lineOf(ACCEPTED)),
        contender(narrow, 'fanout-too-large', lineOf(ACCEPTED)),
      ]
      for (const { server, name, line } of refused) await requireRefusal(server, name, line)
      const accepted = contender(open, 'accepted', lineOf(ACCEPTED))
      await requireRefusal(open, TOO_LARGE.name, lineOf(TOO_LARGE.members))
      const large = [
        contender(open, 'accepted, 63 KiB', lineOf(ACCEPTED_LARGE)),
        contender(open, TOO_LARGE.name, lineOf(TOO_LARGE.members)),
      ]
      const samples = await measure(context, [accepted, ...refused], WINDOW)
      const largeSamples = await measure(context, large, LARGE_WINDOW)
      return linesOf(samples, largeSamples)
    } finally {
      await stopAll(servers)
    }
  },
}

async function start(servers, limits) {
  const daemon = await startAgentd({ config: { ring: { enabled: false }, limits } })
  servers.push(daemon)
  return daemon
}

function contender(server, name, line) {
  return { ...withLine(server, line), name, server, line }
}

async function measure(context, contenders, window) {
  const settings = { subscribers: 0, window, ...context.scale.brief }
  // One contender of each daemon, so that none is measured before its code is compiled.
  const firsts = new Map(contenders.map((one) => [one.server, one]))
  for (const one of firsts.values()) await measureThroughput(one, { ...settings, ...context.scale.heat })
  return compete(context, contenders, (one) => measureThroughput(one, settings))
}

function linesOf(samples, largeSamples) {
  const peer = { name: 'accepted', values: cost(samples.get('accepted')) }
  const costs = [...samples]
    .filter(([name]) => name !== 'accepted')
    .map(([name, list]) => ({ name, own: cost(list) }))
  const mean = peer.values.map(
    (_, round) => costs.reduce((sum, { own }) => sum + own[round], 0) / costs.length,
  )
  const [largeAccepted, tooLarge] = [...largeSamples.values()].map(cost)
  const target = { atMost: 1 }
  return [
    ratioLine({
      what: `server CPU per refused frame, ${costs.length} codes in equal parts`,
      unit: 'µs',
      own: mean,
      peer,
      target,
    }),
    ...costs.map(({ name, own }) => ratioLine({ what: `server CPU, ${name}`, unit: 'µs', own, peer })),
    ratioLine({
      what: 'server CPU, frame-too-large',
      unit: 'µs',
      own: tooLarge,
      peer: { name: 'accepted 63 KiB', values: largeAccepted },
    }),
  ]
}

/** Where CPU time cannot be read, time has to do. */
function cost(samples) {
  return samples.map(({ cpuMicros, perSecond }) => cpuMicros ?? 1e6 / perSecond)
}

async function submit({ socketPath }, line) {
  const body = line.replace(TEMPLATE_ID, randomUUID())
  return (await request(socketPath, '/v1/frames', { body })).body
}

/** Each line has to be refused for its own reason, or another one is measured. */
async function requireRefusal(server, name, line) {
  const { code } = await submit(server, line)
  const wanted = name.split(',')[0]
  if (code !== wanted) throw new Error(`${wanted} was answered as ${code}`)
}
