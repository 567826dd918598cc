/**
 * The way of one machine to the hub: on loopback, and it can be cut without a word, healed, broken, and made slow.
 */
import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/** How often a slow way lets something through, in milliseconds. */
const TICK_MS = 10

/** Octets that are under way on a slow one before the sender has to wait, as in the queue of a modem. */
const QUEUE_OCTETS = 65_536

/** On one that is long and not slow, as many as TCP has under way at the most. */
const FLIGHT_OCTETS = 4_194_304

/** One direction of one connection. */
class Lane {
  #way
  #from
  #to
  /** Pieces with the moment from which they may arrive. */
  #queue = []
  #octets = 0
  #timer

  constructor(way, from, to) {
    this.#way = way
    this.#from = from
    this.#to = to
    from.on('data', (piece) => this.#take(piece))
    to.on('drain', () => this.#resume())
    from.once('end', () => to.end())
  }

  #take(piece) {
    const { rate, delayMs } = this.#way
    if (rate === undefined && delayMs === 0 && this.#queue.length === 0) {
      if (!this.#to.write(piece)) this.#from.pause()
      return
    }
    this.#queue.push({ piece, dueMs: performance.now() + delayMs })
    this.#octets += piece.length
    if (this.#octets > this.#way.room) this.#from.pause()
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS)
  }

  #tick() {
    if (this.#to.destroyed) return this.stop()
    if (this.#way.isCut) return undefined
    let budget = this.#way.take()
    while (budget > 0 && this.#queue.length > 0 && this.#queue[0].dueMs <= performance.now()) {
      const first = this.#queue[0]
      const part = first.piece.subarray(0, budget)
      this.#to.write(part)
      budget -= part.length
      this.#way.spend(part.length)
      this.#octets -= part.length
      if (part.length === first.piece.length) this.#queue.shift()
      else first.piece = first.piece.subarray(part.length)
    }
    if (this.#octets <= this.#way.room) this.#resume()
    if (this.#queue.length === 0) this.stop()
    return undefined
  }

  #resume() {
    if (!this.#way.isCut && !this.#from.destroyed) this.#from.resume()
  }

  stop() {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

export class Way {
  host
  /** In front of the machine's daemon: nothing. */
  command = []
  isCut = false
  /** Octets per second, both directions together; undefined: as fast as it goes. */
  rate
  /** One way, in milliseconds. */
  delayMs = 0
  /** Octets that went through while there was a rate. */
  carried = 0
  #server
  #targetPort
  #pairs = new Set()
  #spentAtMs = performance.now()
  #budget = 0

  /** @param host - where the machine finds it */
  static async open(targetPort, { host = '127.0.0.1' } = {}) {
    const way = new Way()
    way.host = host
    way.#targetPort = targetPort
    way.#server = createServer((near) => way.#join(near))
    way.#server.listen(0, host)
    await once(way.#server, 'listening')
    return way
  }

  get port() {
    return this.#server.address().port
  }

  /** Octets that may be under way in one direction of a connection. */
  get room() {
    return this.rate === undefined ? FLIGHT_OCTETS : QUEUE_OCTETS
  }

  /** Connections that go through it now. */
  get connections() {
    return this.#pairs.size
  }

  /** Nothing arrives any more, and nobody is told. */
  cut() {
    this.isCut = true
    for (const pair of this.#pairs) for (const socket of pair) socket.pause()
  }

  /** What was under way arrives now. */
  heal() {
    this.isCut = false
    for (const pair of this.#pairs) for (const socket of pair) socket.resume()
  }

  /** Breaks every connection that there is. */
  drop() {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy()
  }

  async close() {
    this.drop()
    const closed = once(this.#server, 'close')
    this.#server.close()
    await closed
  }

  /** What may go through now; the rate is shared by all connections. */
  take() {
    if (this.rate === undefined) return Infinity
    const nowMs = performance.now()
    this.#budget = Math.min(this.rate * 0.05, this.#budget + (this.rate * (nowMs - this.#spentAtMs)) / 1_000)
    this.#spentAtMs = nowMs
    return Math.floor(this.#budget)
  }

  spend(octets) {
    if (this.rate === undefined) return
    this.carried += octets
    this.#budget -= octets
  }

  #join(near) {
    const far = connect(this.#targetPort, '127.0.0.1')
    const pair = [near, far]
    this.#pairs.add(pair)
    near.setNoDelay(true)
    far.setNoDelay(true)
    const lanes = [new Lane(this, near, far), new Lane(this, far, near)]
    for (const socket of pair) {
      socket.on('error', () => {})
      socket.once('close', () => {
        this.#pairs.delete(pair)
        for (const one of pair) one.destroy()
        for (const lane of lanes) lane.stop()
      })
      if (this.isCut) socket.pause()
    }
  }
}
