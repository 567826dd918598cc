/**
 * One client connection, the same for every contender: raw octets in one shared buffer, no stream machinery.
 */
import { connect } from 'node:net'
import { sleep, within } from './waiting.mjs'

/** Every connection reads into this; what is read is looked at before anybody reads again. */
const SHARED = Buffer.allocUnsafeSlow(256 * 1024)

/** How long a connection may take to be ready, in milliseconds. */
const READY_MS = 20_000

/** How often a full backlog is tried again, and after how long in milliseconds. */
const BUSY_TRIES = 200
const BUSY_PAUSE_MS = 10

export class Connection {
  /** Called with the buffer and how much of it is new. */
  onBytes = () => {}
  /** Called once when it is over without having been asked to. */
  onLost = () => {}
  #socket
  #isClosed = false

  /** @param target - `{path}` or `{host, port}` */
  constructor(target) {
    const onread = {
      buffer: SHARED,
      callback: (length, buffer) => {
        this.onBytes(buffer, length)
        return true
      },
    }
    this.#socket = connect({ ...target, onread, noDelay: true })
    this.#socket.on('error', (error) => this.#lose(error))
    this.#socket.once('close', () => this.#lose(new Error('the server closed the connection')))
  }

  write(bytes) {
    this.#socket.write(bytes)
  }

  /** Reads nothing any more. */
  pause() {
    this.#socket.pause()
  }

  close() {
    this.#isClosed = true
    this.#socket.destroy()
  }

  #lose(error) {
    if (this.#isClosed) return
    this.#isClosed = true
    this.onLost(error)
  }
}

/**
 * Connects, says something, and waits until the answer so far satisfies.
 *
 * @param target - where
 * @param greeting - what to write first
 * @param isReady - looks at all text received so far; may throw
 * @throws Error when it does not within its time
 */
export async function openConnection(target, greeting, isReady) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await openOnce(target, greeting, isReady)
    } catch (error) {
      if (error.code !== 'EAGAIN' || tries === BUSY_TRIES) throw error
      await sleep(BUSY_PAUSE_MS)
    }
  }
}

async function openOnce(target, greeting, isReady) {
  const connection = new Connection(target)
  let text = ''
  const ready = new Promise((resolve, reject) => {
    connection.onLost = reject
    connection.onBytes = (buffer, length) => {
      text += buffer.latin1Slice(0, length)
      try {
        if (isReady(text)) resolve()
      } catch (error) {
        reject(error)
      }
    }
  })
  connection.write(greeting)
  try {
    await within(ready, READY_MS, `a connection was not ready; it said ${JSON.stringify(text.slice(0, 300))}`)
  } catch (error) {
    connection.close()
    throw error
  }
  connection.onBytes = () => {}
  connection.onLost = () => {}
  return connection
}
