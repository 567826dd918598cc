/**
 * A client that somebody might write who has the memo and nothing of agentd's: sockets, HTTP by hand, frames (memo §§3–5), scopes
 * (memo §6), the stream (memo §7), filters (memo §8), errors (memo §10). Where to begin it reads from a pointer file.
 *
 * Of four payloads the text of the memo that is at hand has lost the names of members (ACQ-01); here they are as in
 * docs/requirements.md. Prints what came of it as JSON.
 *
 *   node memo-client.mjs <pointer file>
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'

const { socket, principal, stream, frames } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))
const [lease, query, diagnostic] = [randomUUID(), randomUUID(), randomUUID()]
const now = new Date().toISOString()
const pair = { acted_by: principal, drafted_with: '~cc-memo' }
const QUESTION = {
  stem: 'Which way?',
  options: [
    { label: 'batches', reasoning: 'No lock is held for long.' },
    { label: 'at once', reasoning: 'Simple.' },
  ],
  recommended_idx: 0,
  hatches: { free_text: true, dialogue: true },
}

/** Kind → payload, in the order of the memo. */
const FIFTEEN = {
  agent_advisory: { advisory_text: 'editing src/auth.ts', file_refs: ['src/auth.ts'], branch: 'main' },
  agent_broadcast: { broadcast_text: 'main moved', event_class: 'merged', refs: ['pull/17'] },
  agent_handover: { previous_session_id: 's1', handover_body: 'Two tests are red.', pointer_refs: ['notes'] },
  agent_lock_request: { resource: 'src/auth.ts', lease_id: lease, ttl_ms: 60_000, intent: 'moving it' },
  agent_lock_release: { lease_id: lease },
  agent_lease_extend: { lease_id: lease, additional_ttl_ms: 60_000 },
  agent_query: { query_text: 'Who has it?', query_id: query, response_scope: principal, timeout_ms: 5_000 },
  agent_response: { query_id: query, responder_session_id: 's2', response_text: 'I have.' },
  agent_return_event: { return_event_ref: 'run/41', query_id: query, summary: 'It is settled.' },
  agent_binding_moment: {
    synopsis: 'The migration can go two ways.',
    findings: ['The table is large.'],
    recommendations: ['Copy in batches.'],
    offer: 'I can run it tonight.',
    question: QUESTION,
  },
  peer_diagnostic_request: { symptom: 'npm test hangs', diagnostic_id: diagnostic, severity: 'blocked' },
  peer_diagnostic_response: {
    diagnostic_id: diagnostic,
    finding: 'A port is taken.',
    remediation: 'Free it.',
  },
  intent_declare: {
    convergence_class: 'repo.pull-request',
    payload_ref: 'branch/a',
    ...pair,
    declared_at: now,
    ttl: 60_000,
    withdrawable: true,
  },
  intent_withdraw: { convergence_class: 'repo.pull-request', intent_ref: 'branch/a', withdrawn_at: now },
  flush_executed: { convergence_class: 'repo.pull-request', result_ref: 'pull/18', executed_at: now },
}

function frameOf(kind, payload) {
  return {
    envelope_version: '1.0',
    frame_id: randomUUID(),
    kind,
    sender_handle: principal,
    recipient_handle: principal,
    created_at: now,
    payload,
    ...pair,
    provenance_compute_location: 'local-only',
    provenance_method: ['by-hand'],
    provenance_context_check: 'skipped',
    provenance_basis: 'memo',
  }
}

/** Submits a frame to a scope; the answer, or an error (memo §10). */
function submit(frame, scope = `${principal}/*`) {
  const body = Buffer.from(JSON.stringify(frame))
  const path = `${frames}?recipient_scope=${encodeURIComponent(scope)}`
  const head = `POST ${path} HTTP/1.1\r\nHost: memo\r\nContent-Type: application/x-alter-agent\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`
  return new Promise((resolve, reject) => {
    let text = ''
    const connection = connect(socket, () => connection.write(Buffer.concat([Buffer.from(head), body])))
    connection.setEncoding('utf8').on('data', (chunk) => (text += chunk))
    connection.once('error', reject)
    connection.once('close', () => resolve(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4))))
  })
}

/** One stream: opened once its head has come, read event by event as HTML says, without names. */
class Stream {
  constructor(filter, lastEventId) {
    this.events = []
    this.rest = ''
    this.waiting = []
    const query = `?profile=memo${filter === undefined ? '' : `&filter=${encodeURIComponent(filter)}`}`
    const resume = lastEventId === undefined ? '' : `Last-Event-ID: ${lastEventId}\r\n`
    this.connection = connect(socket, () => {
      this.connection.write(
        `GET ${stream}${query} HTTP/1.1\r\nHost: memo\r\nAccept: text/event-stream\r\n${resume}\r\n`,
      )
    })
    this.connection.setEncoding('utf8').on('data', (chunk) => this.take(chunk))
  }

  take(chunk) {
    this.rest += chunk
    if (this.head === undefined) {
      const end = this.rest.indexOf('\r\n\r\n')
      if (end === -1) return
      this.head = this.rest.slice(0, end)
      this.rest = this.rest.slice(end + 4)
    }
    const blocks = this.rest.split('\n\n')
    this.rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = block.split('\n').map((line) => /^([^:]*): ?(.*)$/s.exec(line) ?? [])
      const of = (name) => fields.filter(([, field]) => field === name).map(([, , value]) => value)
      // An event without data is dispatched to nobody; one with a name is not for `onmessage`.
      if (of('data').length > 0 && of('event').length === 0)
        this.events.push({ id: of('id')[0], frame: JSON.parse(of('data').join('\n')) })
    }
    for (const look of this.waiting.splice(0)) look()
  }

  /** Waits until something is so of what has come. */
  async until(isSo) {
    while (!isSo()) await new Promise((resolve) => this.waiting.push(resolve))
  }

  close() {
    this.connection.destroy()
  }
}

const kindsOf = ({ events }) => events.map(({ frame }) => frame.kind)
const all = new Stream()
const queries = new Stream('kind:agent_query')
const opened = (one) => one.until(() => one.head !== undefined)
await Promise.all([opened(all), opened(queries)])

const answers = []
for (const [kind, payload] of Object.entries(FIFTEEN)) answers.push(await submit(frameOf(kind, payload)))
await all.until(() => all.events.length === answers.length)
await queries.until(() => queries.events.length === 1)
all.close()

await submit(frameOf('agent_advisory', { advisory_text: 'while nobody read' }))
const again = new Stream(undefined, all.events[9].id)
await again.until(() => again.events.length === 6)

const typo = new Stream('kindd:agent_query')
await typo.until(() => typo.rest.includes('}'))
const refusals = {
  typo: JSON.parse(typo.rest).code,
  kind: (await submit(frameOf('agent_gossip', {}))).code,
  field: (await submit({ ...frameOf('agent_advisory', FIFTEEN.agent_advisory), colour: 'red' })).code,
  sender: (await submit({ ...frameOf('agent_advisory', FIFTEEN.agent_advisory), sender_handle: '~bob' }))
    .code,
  scope: (await submit(frameOf('agent_advisory', FIFTEEN.agent_advisory), 'org:~acme/members/*')).code,
}
for (const one of [queries, again, typo]) one.close()
console.log(
  JSON.stringify({ answers, all: kindsOf(all), queries: kindsOf(queries), again: kindsOf(again), refusals }),
)
