/**
 * A healthy client in a process of its own: one request at a time on one connection, the time each takes.
 *
 * Arguments: socket, pause between two requests in milliseconds, and `health` or `frames`. Prints one JSON line
 * when its stdin ends: `{latencies, statuses, failures, reconnects}`.
 */
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'

const [socketPath, pauseMs, what, token] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const latencies = []
const statuses = {}
let failures = 0
let isOver = false
let reconnects = -1

function ask() {
  const startedMs = performance.now()
  const body = what === 'frames' ? JSON.stringify({ frame: makeFrame() }) : undefined
  const outgoing = request(
    {
      socketPath,
      agent,
      path: what === 'frames' ? '/v1/frames' : '/v1/health',
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && token !== '' && { authorization: `Bearer ${token}` }),
      },
    },
    (incoming) => {
      incoming.resume()
      incoming.once('end', () => {
        latencies.push(performance.now() - startedMs)
        statuses[incoming.statusCode] = (statuses[incoming.statusCode] ?? 0) + 1
        again()
      })
    },
  )
  outgoing.once('socket', (socket) => {
    if (socket.connecting) reconnects += 1
  })
  outgoing.once('error', () => {
    failures += 1
    again()
  })
  outgoing.end(body)
}

function again() {
  if (isOver) finish()
  else setTimeout(ask, Number(pauseMs))
}

function finish() {
  process.stdout.write(`${JSON.stringify({ latencies, statuses, failures, reconnects })}\n`, () =>
    process.exit(0),
  )
}

function makeFrame() {
  return {
    envelope_version: '1.0',
    frame_id: randomUUID(),
    kind: 'agent_broadcast',
    sender_handle: '~alice',
    recipient_handle: '~alice',
    created_at: new Date().toISOString(),
    payload: { broadcast_text: 'polite', event_class: 'other' },
    acted_by: '~alice',
    drafted_with: '~cc-opus-4-6',
    provenance_compute_location: 'server-active',
    provenance_method: ['session-context'],
    provenance_context_check: 'passed',
    provenance_basis: 'torture',
  }
}

process.stdin.resume().once('end', () => {
  isOver = true
  // A request that is never answered must not keep the figures back.
  setTimeout(finish, 5_000).unref()
})
ask()
