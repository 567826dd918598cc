/**
 * A reader of a stream: every frame with its id, every gap, and a cursor to resume from.
 */
import { connect } from 'node:net'

/** How a resuming reader waits between two tries, in milliseconds. */
const RETRY_MS = 20

/**
 * Opens a stream and keeps what comes.
 *
 * @param options.after - a cursor, sent as `Last-Event-ID`
 * @param options.resume - opens it again, from the last id, whenever it is cut, until `close()`
 * @param options.keep - false: count only, for long runs
 * @param options.onEvent - called with every event, `{event, id, data, comment}`
 */
export function openReader(socketPath, options = {}) {
  const { token, query = '', keep = true, onEvent } = options
  /** `{id, data}` of every frame, in order of arrival. */
  const frames = []
  const gaps = []
  const byes = []
  const waiters = new Set()
  let count = 0
  let lastId = options.after
  let isClosed = false
  let connection
  let connects = 0
  let refusals = 0

  const tell = () => {
    for (const waiter of waiters) waiter()
  }
  const take = (block) => {
    const fields = {}
    for (const line of block.split('\n')) {
      const colon = line.indexOf(': ')
      if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 2)
      else if (colon === 0) fields.comment = line.slice(2)
    }
    if (fields.id !== undefined) lastId = fields.id
    if (fields.event === undefined) return
    onEvent?.(fields)
    if (fields.event === 'agentd_gap') gaps.push({ at: count, ...JSON.parse(fields.data) })
    else if (fields.event === 'agentd_bye') byes.push(JSON.parse(fields.data))
    else {
      count += 1
      if (keep) frames.push({ id: fields.id, data: fields.data })
    }
  }
  const open = () => {
    if (isClosed) return
    let text = ''
    let hasHead = false
    connection = connect({ path: socketPath })
    connection.setEncoding('utf8')
    connection.on('connect', () => {
      const headers = [
        'host: agentd',
        ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
        ...(lastId === undefined ? [] : [`last-event-id: ${lastId}`]),
      ]
      connection.write(`GET /v1/handles/~alice/stream${query} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
    })
    connection.on('data', (chunk) => {
      text += chunk
      if (!hasHead) {
        const end = text.indexOf('\r\n\r\n')
        if (end === -1) return
        if (/^HTTP\/1.1 200/.test(text)) connects += 1
        else refusals += 1
        hasHead = true
        text = text.slice(end + 4)
      }
      // What comes after the last empty line is not whole yet, and never counts when it is cut there.
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) take(block)
      tell()
    })
    connection.on('error', () => {})
    connection.once('close', () => {
      tell()
      if (options.resume === true && !isClosed) setTimeout(open, RETRY_MS)
    })
  }
  open()
  return {
    frames,
    gaps,
    byes,
    get count() {
      return count
    },
    get lastId() {
      return lastId
    },
    /** Streams that were opened with a 200. */
    get connects() {
      return connects
    },
    get refusals() {
      return refusals
    },
    get socket() {
      return connection
    },
    /** Waits until `test()` is true. @returns false when it did not become so in time */
    until(test, timeoutMs = 10_000) {
      return new Promise((done) => {
        const look = () => {
          if (!test()) return
          waiters.delete(look)
          clearTimeout(timer)
          done(true)
        }
        const timer = setTimeout(() => {
          waiters.delete(look)
          done(false)
        }, timeoutMs)
        waiters.add(look)
        look()
      })
    },
    /** Cuts the connection as a dropped network would; a resuming reader comes back. */
    cut: () => connection.destroy(),
    close() {
      isClosed = true
      connection.destroy()
    },
  }
}

/** Every retained frame, oldest first, through `GET /v1/frames`. @returns Map of frame id → `{eventId, text}` */
export async function readRing(request, socketPath, limit = Infinity) {
  const found = new Map()
  const health = await request(socketPath, '/v1/health')
  const oldest = health.body?.ring?.oldest_event_id
  if (oldest === null || oldest === undefined) return found
  const [epoch, seq] = oldest.split('-')
  let after = `${epoch}-${Number(seq) - 1}`
  while (after !== null && found.size < limit) {
    const { body, status } = await request(socketPath, `/v1/frames?limit=1000&after=${after}`)
    if (status !== 200) throw new Error(`history answered ${status}: ${JSON.stringify(body)}`)
    for (const { event_id: eventId, frame } of body.items) {
      found.set(frame.frame_id, { eventId, text: JSON.stringify(frame) })
    }
    after = body.next
  }
  return found
}
