/** A connection that sends exactly what it is told, at the pace it is told, and reads as it is told. */
import { connect } from 'node:net'
import { waitFor } from './waiting.mjs'

/**
 * @param place - the path of a socket, or `{port, host}`
 * @param options.reads - `all` (default), `none`, or bytes a second
 * @returns when the daemon ended or cut it (or the time is over): `{cutMs, text, sentMs}`; `cutMs` is undefined
 *   when it never did
 */
export async function talk(place, { write, reads = 'all', timeoutMs = 10_000 }) {
  const where = typeof place === 'string' ? { path: place } : place
  const connection = connect({ ...where, allowHalfOpen: true })
  const state = { text: '', cutMs: undefined, isOver: false }
  const startedMs = performance.now()
  const end = () => {
    state.cutMs ??= performance.now() - startedMs
    state.isOver = true
  }
  connection.on('error', end)
  connection.once('close', end)
  connection.once('end', end)
  await new Promise((resolve) => {
    connection.once('connect', resolve)
    connection.once('close', resolve)
  })
  readAs(connection, state, reads)
  void Promise.resolve(write(connection, state)).catch(end)
  await waitFor(() => state.isOver, timeoutMs, 20)
  state.isOver = true
  connection.destroy()
  return { cutMs: state.cutMs, text: state.text }
}

function readAs(connection, state, reads) {
  if (reads === 'all') {
    connection.setEncoding('latin1').on('data', (chunk) => {
      if (state.text.length < 200_000) state.text += chunk
    })
    return
  }
  connection.pause()
  const timer = setInterval(() => {
    if (state.isOver) return clearInterval(timer)
    // Who does not read cannot see the end either; an empty line, which HTTP overlooks, fails once it has come.
    if (connection.writableLength === 0) connection.write('\r\n')
    // A paused socket still fills one buffer of Node's; what counts is that no more is asked for than this.
    if (reads !== 'none') connection.read(reads)
  }, 1_000)
}

/** Writes the text piece by piece. */
export async function drip(connection, state, { text, bytes = 1, everyMs }) {
  for (let at = 0; at < text.length && !state.isOver; at += bytes) {
    connection.write(text.slice(at, at + bytes))
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
