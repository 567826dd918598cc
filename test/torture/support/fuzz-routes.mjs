/**
 * What goes to the daemon itself but envelopes: frames, bodies, lines, queries, cursors, HTTP.
 */
import { bodyOf, createClient, exchange, fault, judge, statusOf } from './fuzz-client.mjs'

const LINES_PER_REQUEST = 200

/** @returns lane → a function that sends one input, or a number of them, and judges what comes back */
export function frameLanes(socket, { mutator, random, codes, found }) {
  const { send, json, lines, judged } = createClient(socket, { codes, found })
  const bodies = {
    '/v1/sessions': {
      instrument: 'cc',
      session_id: 's',
      tool: 'cc',
      title: 't',
      cwd: '/',
      pid: 1,
      mailbox: true,
      entities: ['a'],
    },
    '/v1/seen': { up_to: 'a-1' },
    '/v1/verbs/agent_advise': { text: 'x', file_refs: ['a'] },
    '/v1/verbs/agent_query': { text: 'x', timeout_ms: 1_000 },
    '/v1/verbs/agent_send': { kind: 'agent_advisory', payload: { advisory_text: 'x' } },
    '/v1/verbs/agent_decide': {
      synopsis: 's',
      findings: [],
      recommendations: [],
      offer: 'o',
      question: {
        stem: 's',
        options: [
          { label: 'a', reasoning: 'b' },
          { label: 'c', reasoning: 'd' },
        ],
        recommended_idx: 0,
      },
    },
    '/v1/verbs/intent_declare': { convergence_class: 'a.b', payload_ref: 'x', ttl: 5, withdrawable: true },
    '/v1/verbs/agent_roster': {},
  }
  return {
    frame: async () => judged('frame', await json('/v1/frames', mutator.bytes(mutator.submission()))),
    body: async () => {
      const path = random.pick(Object.keys(bodies))
      await judged(path, await json(path, mutator.bytes(mutator.json(bodies[path]))))
    },
    lines: async () => {
      const made = Array.from({ length: LINES_PER_REQUEST }, () => mutator.line(mutator.submission()))
      await lines('/v1/frames', made, (text) => text.includes('"event_id"'))
    },
    query: async () => {
      const part = encodeURIComponent(
        random() < 0.5
          ? (mutator.string().toWellFormed?.() ?? 'x')
          : mutator.line('kind=agent_query,sender=~alice'),
      )
      const name = random.pick(['filter', 'after', 'limit', 'handle', 'x', 'filter=&filter'])
      await judged('query', await send({ path: `/v1/frames?limit=3&${name}=${part}`, method: 'GET' }))
    },
    cursor: async () => {
      const cursor = mutator.line('beb11a2a-17').replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?')
      found.sent += 1
      const head = `GET /v1/handles/~alice/stream HTTP/1.1\r\nhost: a\r\nlast-event-id: ${cursor}\r\n\r\n`
      const text = await exchange(socket, head, 5_000)
      const where = `cursor ${JSON.stringify(cursor)}`
      judge({ status: statusOf(text), text: bodyOf(text), where }, codes, found)
      // A cursor that says nothing is told to be so, never taken for "now" without a word.
      const isTold = statusOf(text) !== 200 || cursor.trim() === '' || text.includes('event: agentd_gap')
      if (!isTold) fault(found, `${where}: no gap`)
    },
    http: async () => {
      const body = mutator.submission()
      const whole = `POST /v1/frames HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
      const bytes = mutator.bytes(random() < 0.3 ? whole : whole.slice(0, whole.length - body.length))
      found.sent += 1
      const text = await exchange(socket, bytes, 200)
      if (text === '') return
      const where = `http ${JSON.stringify(bytes.toString('latin1').slice(0, 120))}`
      judge({ status: statusOf(text), text: bodyOf(text), where }, codes, found)
    },
  }
}
