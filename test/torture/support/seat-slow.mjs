/**
 * Connections to the page that never end, and more of them than there may be.
 */
import { drip, talk } from './raw.mjs'
import { answered, SAY } from './seat-heads.mjs'
import { exchange, textOf } from './seat.mjs'
import { waitFor } from './waiting.mjs'

/** As many connections as a round makes at once have to be free again by then, in milliseconds. */
const ROOM = 20
const LET_GO_MS = 5_000

/** Connections that take their time: each has to be over by then, in milliseconds. */
export function slowAttempts({ seat, token }) {
  const place = { port: seat.port, host: '127.0.0.1' }
  const slow = (name, limitMs, write) => ({
    name,
    send: async () => {
      const { cutMs, text } = await talk(place, { write, timeoutMs: limitMs + 4_000 })
      return { text, closedMs: cutMs, status: undefined }
    },
    refused: ({ closedMs, text }) => closedMs !== undefined && closedMs <= limitMs && !/ 200 /.test(text),
  })
  const line = `GET /v1/health HTTP/1.1\r\nhost: ${seat.authority}\r\n`
  const body = textOf(seat, { ...SAY, token, body: ' ', fields: { 'content-length': 400 } })
  return [
    slow('says nothing', 8_000, () => {}),
    slow('a head that never ends', 8_000, (connection, state) => {
      connection.write(line)
      return drip(connection, state, { text: 'x'.repeat(200), everyMs: 200 })
    }),
    slow('a body that never ends', 13_000, (connection, state) => {
      connection.write(body)
      return drip(connection, state, { text: ' '.repeat(200), everyMs: 200 })
    }),
  ]
}

async function isRoomFor(seat, count) {
  const answers = await Promise.all(Array.from({ length: count }, () => exchange(seat, textOf(seat, {}))))
  return answers.every(({ status }) => status !== undefined)
}

/** One connection more than there may be. */
export function crowdAttempt({ seat }) {
  return {
    name: 'connection 65',
    async send() {
      const place = { port: seat.port, host: '127.0.0.1' }
      const held = Array.from({ length: 64 }, () =>
        talk(place, { timeoutMs: 3_000, write: (connection) => void connection.write('GET / HTTP/1.1\r\n') }),
      )
      await new Promise((resolve) => setTimeout(resolve, 500))
      const more = await exchange(seat, textOf(seat, {}), { timeoutMs: 2_000 })
      await Promise.all(held)
      // They are closed on this side; what comes next must not be counted with those the process has still to let go of.
      await waitFor(() => isRoomFor(seat, ROOM), LET_GO_MS)
      return more
    },
    refused: answered(0),
  }
}
