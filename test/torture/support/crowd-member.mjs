/**
 * A process that holds many streams, so that the program that measures stays idle itself.
 *
 * Told by `process.send`: `{command, …}` in, one `{reply}` out for each. A stopped stream is one whose socket is
 * never read: to the daemon that is what a SIGSTOPped reader looks like.
 */
import { connect } from 'node:net'
import { BlockReader, SequenceCheck } from './sequence-check.mjs'

/** Between two tries after the kernel said EAGAIN, in milliseconds: twice as long each time, up to the bound. */
const RETRY_MS = 20
const MAX_RETRY_MS = 640

const members = []
let eagain = 0
let latencies = []

class Member {
  check = new SequenceCheck()
  isOpen = false
  isStopped = false
  closedAtMs
  refused
  #wish
  #socket
  #opened
  #retryMs = RETRY_MS

  constructor(wish) {
    this.#wish = wish
    this.isStopped = wish.stopped === true
  }

  /** Resolves when the stream stands: its first block has come, or for a stopped one its connection. */
  open() {
    return new Promise((resolve) => {
      this.#opened = resolve
      this.#connect()
    })
  }

  resume() {
    this.isStopped = false
    if (this.#socket.destroyed) return this.open()
    this.#socket.resume()
    return new Promise((resolve) => {
      this.#socket.once('close', () => resolve(this.open()))
    })
  }

  close() {
    this.#socket?.destroy()
  }

  #connect() {
    const { socket: path, query = '' } = this.#wish
    const reader = new BlockReader()
    const socket = connect({ path })
    this.#socket = socket
    socket.setEncoding('utf8')
    socket.once('connect', () => {
      this.#retryMs = RETRY_MS
      const cursor = this.check.lastId === undefined ? '' : `last-event-id: ${this.check.lastId}\r\n`
      socket.write(`GET /v1/handles/~alice/stream${query} HTTP/1.1\r\nhost: agentd\r\n${cursor}\r\n`)
      if (!this.isStopped) return
      // Node reads before anybody listens; stopped means that not even the kernel's buffer is emptied.
      socket.pause()
      this.isOpen = true
      this.#opened?.()
    })
    socket.on('data', (text) => this.#read(reader, text))
    if (this.isStopped) socket.pause()
    socket.on('error', (error) => {
      if (error.code === 'EAGAIN' || error.code === 'ECONNREFUSED') {
        eagain += error.code === 'EAGAIN' ? 1 : 0
        this.#retryMs = Math.min(MAX_RETRY_MS, 2 * this.#retryMs)
        setTimeout(() => this.#connect(), this.#retryMs * Math.random())
      }
    })
    socket.once('close', () => {
      this.isOpen = false
      this.closedAtMs = performance.timeOrigin + performance.now()
    })
  }

  #read(reader, text) {
    for (const block of reader.feed(text)) {
      if (!this.isOpen && reader.status === 200) {
        this.isOpen = true
        this.#opened?.()
      }
      if (!this.check.take(block)) continue
      const sentNs = /torture:(\d+):/.exec(block.data)?.[1]
      if (sentNs !== undefined) latencies.push(Number(process.hrtime.bigint() - BigInt(sentNs)) / 1e6)
    }
    if (reader.status !== undefined && reader.status !== 200) this.refused = reader.status
  }
}

const COMMANDS = {
  async open({ count, timeoutMs = 30_000, ...wish }) {
    const made = Array.from({ length: count }, () => new Member(wish))
    members.push(...made)
    const startedMs = performance.now()
    await Promise.race([Promise.all(made.map((member) => member.open())), sleep(timeoutMs)])
    return { open: made.filter(({ isOpen }) => isOpen).length, tookMs: performance.now() - startedMs }
  },
  /** What was stopped reads again, and comes back from its cursor when it has been cut. */
  async resume({ timeoutMs = 30_000 }) {
    const stopped = members.filter((member) => member.isStopped)
    await Promise.race([Promise.all(stopped.map((member) => member.resume())), sleep(timeoutMs)])
    return {}
  },
  /** Everybody whose connection is gone comes back from the last id. */
  async reopen({ timeoutMs = 30_000 }) {
    const gone = members.filter(({ isOpen }) => !isOpen)
    const startedMs = performance.now()
    await Promise.race([Promise.all(gone.map((member) => member.open())), sleep(timeoutMs)])
    return { gone: gone.length, tookMs: performance.now() - startedMs }
  },
  report() {
    const taken = latencies
    latencies = []
    const checks = members.map(({ check }) => check)
    const sum = (name) => checks.reduce((total, check) => total + check[name], 0)
    return {
      open: members.filter(({ isOpen }) => isOpen).length,
      members: members.length,
      refused: members.filter(({ refused }) => refused !== undefined).length,
      eagain,
      frames: sum('frames'),
      framesLeast: checks.reduce((least, { frames }) => Math.min(least, frames), Infinity),
      duplicates: sum('duplicates'),
      uncovered: sum('uncovered'),
      gaps: sum('gaps'),
      toldGap: checks.filter(({ gaps }) => gaps > 0).length,
      byes: countBy(checks.map(({ bye }) => bye)),
      closedAtMs: members.flatMap(({ closedAtMs }) => (closedAtMs === undefined ? [] : [closedAtMs])),
      latencies: taken,
    }
  },
  close() {
    for (const member of members) member.close()
    members.length = 0
    return {}
  },
}

function countBy(items) {
  const counts = {}
  for (const item of items) if (item !== undefined) counts[item] = (counts[item] ?? 0) + 1
  return counts
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}

process.on('message', ({ command, ...wish }) => {
  void Promise.resolve(COMMANDS[command](wish)).then((reply) => process.send({ reply }))
})
process.on('disconnect', () => process.exit(0))
