/** One replay, from the request to the last frame. */
import { Connection } from './connection.mjs'
import { MARKER, PRINCIPAL } from './frames.mjs'
import { MarkerCounter } from './marker-counter.mjs'
import { within } from './waiting.mjs'

const REPLAY_MS = 30_000

/** @returns milliseconds */
export async function timeReplay(socketPath, { after, frames }) {
  const connection = new Connection({ path: socketPath })
  const counter = new MarkerCounter(MARKER)
  let count = 0
  const startedMs = performance.now()
  const whole = new Promise((resolve, reject) => {
    connection.onLost = reject
    connection.onBytes = (buffer, length) => {
      count += counter.feed(buffer, length)
      if (count >= frames) resolve(performance.now() - startedMs)
    }
  })
  connection.write(`GET /v1/handles/${PRINCIPAL}/stream?after=${after} HTTP/1.1\r\nhost: agentd\r\n\r\n`)
  try {
    const ms = await within(whole, REPLAY_MS, `a replay stopped after ${count} frames`)
    if (count !== frames) throw new Error(`${count} frames were replayed instead of ${frames}`)
    return ms
  } finally {
    connection.close()
  }
}
