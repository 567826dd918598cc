/**
 * Senders of envelopes of one priority each, which keep a backlog as long as they are let.
 */
import { randomUUID } from 'node:crypto'
import { Agent, request as httpRequest } from 'node:http'
import { writeNasty } from './envelopes.mjs'
import { sleep } from './waiting.mjs'

/** Where they all send to. */
export const CHANNEL = 'bus.priorities'

/** Connections of the flooder; its quota is that of its session. */
const CONNECTIONS = 4

export const SENDERS = {
  flood: { priority: 'urgent', lanes: CONNECTIONS },
  high: { priority: 'high', lanes: 1 },
  low: { priority: 'low', lanes: 1 },
}

/** Sends as long as less than so much of it waits; everything accepted goes into `sent`. */
export function startSender({ socket, token, name, phase, sent }) {
  const { priority, lanes } = SENDERS[name]
  const agent = new Agent({ keepAlive: true, maxSockets: lanes })
  const account = { accepted: 0, handed: 0, refused: 0, capped: 0, granted: 0 }
  const mayWait = phase.backlog[name]
  const text = 'x'.repeat(name === 'low' ? 20 : phase.length)
  const state = { isOver: false }
  let inFlight = 0
  const sendOne = async () => {
    const id = randomUUID()
    const from = `agent.${name}`
    const body = writeNasty({ id, from, to: CHANNEL, corr: `corr-${name}`, priority, payload: { text } })
    const { status, text: answer } = await post({ socket, token, agent }, body)
    if (status !== 200) account.refused += 1
    else {
      const { event_id: eventId, effective_priority: effective } = JSON.parse(answer)
      account.accepted += 1
      account[effective === priority ? 'granted' : 'capped'] += 1
      sent.set(eventId, { name, body, priority, effective })
    }
  }
  const lane = async () => {
    while (!state.isOver) {
      if (account.accepted + inFlight - account.handed >= mayWait) await sleep(1)
      else {
        inFlight += 1
        await sendOne()
        inFlight -= 1
      }
    }
  }
  const running = Array.from({ length: lanes }, lane)
  return {
    account,
    async stop() {
      state.isOver = true
      await Promise.all(running)
      agent.destroy()
    },
  }
}

function post({ socket, token, agent }, body) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const outgoing = httpRequest(
      { socketPath: socket, path: '/v1/envelopes', method: 'POST', agent, headers },
      (incoming) => {
        let text = ''
        incoming.setEncoding('utf8').on('data', (chunk) => (text += chunk))
        incoming.once('end', () => resolve({ status: incoming.statusCode, text }))
      },
    )
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}
