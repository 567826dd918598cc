/**
 * A publisher over NDJSON that remembers what it was told: the acked frames are the oracle of every program.
 */
import { request as httpRequest } from 'node:http'
import { makeFrame } from './frames.mjs'

/** Lines that may be unanswered at once. */
const WINDOW = 64

/**
 * Publishes as fast as the daemon answers, until `stop()`.
 *
 * @param options.onAck - called with `{frameId, eventId, text, reply}` for every accepted frame
 * @param options.window - lines in flight
 * @param options.makeFrame - makes the next frame; the default is a small broadcast
 * @param options.maxFrames - the end, when it comes before `stop()`
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
    path: '/v1/frames',
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
      const frame = make(sent)
      const line = scope === undefined ? { frame } : { recipient_scope: scope, frame }
      sent += 1
      waiting.push(frame)
      outgoing.write(`${JSON.stringify(line)}\n`)
    }
    if (!isOver && sent >= maxFrames && waiting.length === 0) end()
  }
  const end = () => {
    isOver = true
    outgoing.end()
  }
  const settle = (line) => {
    const frame = waiting.shift()
    const reply = JSON.parse(line)
    if (reply.event_id === undefined) refused.push(reply)
    else {
      const one = { frameId: frame.frame_id, eventId: reply.event_id, text: JSON.stringify(frame), reply }
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
