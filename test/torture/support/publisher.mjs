/**
 * A publisher over NDJSON that remembers what it was told: the acked frames are the oracle of every program.
 */
import { request as httpRequest } from 'node:http'
import { makeFrame } from './frames.mjs'

/** Lines that may be unanswered at once. */
const WINDOW = 64

/** Where what is made goes, as which line, and what is remembered of it. */
const FRAMES = {
  path: '/v1/frames',
  lineOf: (frame, scope) =>
    JSON.stringify(scope === undefined ? { frame } : { recipient_scope: scope, frame }),
  own: (frame) => ({ frameId: frame.frame_id, text: JSON.stringify(frame) }),
}

/** Of envelopes `make` gives `{id, text}`, and whatever else is to be remembered. */
export const ENVELOPES = { path: '/v1/envelopes', lineOf: ({ text }) => text, own: (made) => made }

/**
 * Publishes as fast as the daemon answers, until `stop()`.
 *
 * @param options.onAck - called with `{frameId, eventId, text, reply}` for every accepted frame
 * @param options.window - lines in flight
 * @param options.make - makes the next one; the default is a small broadcast
 * @param options.maxFrames - the end, when it comes before `stop()`
 * @param options.what - `ENVELOPES` for those
 */
export function startPublisher(socketPath, options = {}) {
  const {
    token,
    onAck,
    window = WINDOW,
    make = () => makeFrame(),
    scope,
    maxFrames = Infinity,
    pauseMs = 0,
    what = FRAMES,
  } = options
  /** Frames that were answered with an event id, in order. */
  const acked = []
  /** Answers that were refusals. */
  const refused = []
  /** Sent and not yet answered, in order; what is left here at a cut was never promised. */
  const waiting = []
  let sent = 0
  let isOver = false
  let failure
  let rest = ''
  const outgoing = httpRequest({
    socketPath,
    path: what.path,
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/x-ndjson',
      'transfer-encoding': 'chunked',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
  })
  const pump = () => {
    // oxlint-disable-next-line eslint/no-unmodified-loop-condition
    while (!isOver && waiting.length < window && sent < maxFrames) {
      const made = make(sent)
      sent += 1
      waiting.push(made)
      outgoing.write(`${what.lineOf(made, scope)}\n`)
    }
    if (!isOver && sent >= maxFrames && waiting.length === 0) end()
  }
  const end = () => {
    isOver = true
    outgoing.end()
  }
  const settle = (line) => {
    const made = waiting.shift()
    const reply = JSON.parse(line)
    if (reply.event_id === undefined) refused.push(reply)
    else {
      const one = { ...what.own(made), eventId: reply.event_id, reply }
      acked.push(one)
      onAck?.(one)
    }
  }
  const closed = new Promise((done) => {
    outgoing.once('response', (incoming) => {
      incoming.setEncoding('utf8').on('data', (chunk) => {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) settle(line)
        if (pauseMs > 0) setTimeout(pump, pauseMs)
        else pump()
      })
      incoming.on('error', (error) => (failure ??= error))
      incoming.once('close', () => {
        isOver = true
        done()
      })
      pump()
    })
    outgoing.on('error', (error) => {
      failure ??= error
      isOver = true
      done()
    })
  })
  outgoing.flushHeaders()
  return {
    acked,
    refused,
    waiting,
    get failure() {
      return failure
    },
    get isOver() {
      return isOver
    },
    /** Resolves when the exchange is over: `stop`, `maxFrames`, or a cut. */
    closed,
    /** Sends no more, and waits for the answers that are owed. */
    async stop() {
      if (!isOver) end()
      await closed
    },
    destroy: () => outgoing.destroy(),
  }
}
