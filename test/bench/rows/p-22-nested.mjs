/** P-22: how long others wait beside a mebibyte of nested arrays, by the way it comes in. */
import { prepareDaemon, startAgentd } from '../support/agentd.mjs'
import { askBeside } from '../support/beside.mjs'
import { figureLine } from '../support/contest.mjs'
import { makeEnvelope } from '../support/envelopes.mjs'
import { request } from '../support/http.mjs'
import { readLoopCpuSeconds } from '../support/machine.mjs'
import { median } from '../support/statistics.mjs'

const OCTETS = 1_048_000

/** Bodies one after the other, of which the daemon's time for the middle one counts. */
const BODIES = 15

/** As many parts as a body may have, with a margin for those around them (HD-10). */
const MOST_PARTS = 16_000

const AT_MOST = { atMost: 50 }

/** As deep as they go, and again and again as deep as is allowed. */
const DEEP = '['.repeat(OCTETS / 2 - 1_000) + ']'.repeat(OCTETS / 2 - 1_000)
const OFTEN = `[${Array.from({ length: OCTETS / 61 - 40 }, () => '['.repeat(30) + ']'.repeat(30)).join()}]`

/** What is taken and not refused: all the parts there may be, and the rest of the octets in texts. */
const ALLOWED = `[${Array.from({ length: MOST_PARTS }, () => `["${' '.repeat(OCTETS / MOST_PARTS - 9)}"]`).join()}]`

const WAYS = [
  { way: 'a hook', path: '/v1/hooks/claude-code', wrap: hookOf },
  { way: 'an envelope', path: '/v1/envelopes', wrap: envelopeOf },
]

const SHAPES = { 'one in another': DEEP, 'thirty deep': OFTEN, 'as many as allowed': ALLOWED }

export const row = {
  id: 'P-22',
  async run({ quiet }) {
    const daemon = await startAgentd({ place: prepareDaemon() })
    const lines = []
    try {
      await quiet()
      for (const { way, path, wrap } of WAYS) {
        for (const [shape, arrays] of Object.entries(SHAPES)) {
          const what = `${way} of 1 MiB of arrays, ${shape}`
          lines.push(await measure(daemon, { what, path, bodyOf: () => wrap(arrays) }))
        }
      }
      return lines
    } finally {
      await daemon.stop()
    }
  },
}

/** Nobody is answered while the loop is held, so the CPU of the middle body is what others wait for on a core of its own. */
async function measure(daemon, { what, path, bodyOf }) {
  const costs = []
  const waits = []
  let status = 0
  for (let i = 0; i < BODIES; i += 1) {
    const before = readLoopCpuSeconds(daemon.pid)
    const sent = request(daemon.socketPath, path, { body: bodyOf() })
    waits.push(await longestWait(daemon, sent))
    status = (await sent).status
    costs.push((readLoopCpuSeconds(daemon.pid) - before) * 1_000)
  }
  const note = `answered ${status}; somebody else waited ${Math.round(median(waits))} ms by the clock`
  return figureLine({ what: `CPU, ${what}`, unit: 'ms', figure: median(costs), target: AT_MOST, note })
}

/** Asks for the least there is, again and again, until the body has been answered. @returns milliseconds */
async function longestWait(daemon, sent) {
  let longest = 0
  await askBeside(sent, async () => {
    const startedMs = performance.now()
    await request(daemon.socketPath, '/v1/health')
    longest = Math.max(longest, performance.now() - startedMs)
  })
  return longest
}

function hookOf(arrays) {
  return `{"session_id":"bench","cwd":"/tmp","hook_event_name":"PostToolUse","tool_name":"Read","tool_input":${arrays}}`
}

function envelopeOf(arrays) {
  const envelope = makeEnvelope(crypto.randomUUID())
  return JSON.stringify({ ...envelope, payload: { note: 0 } }).replace('"note":0', `"note":${arrays}`)
}
