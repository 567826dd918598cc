/**
 * Load: one publisher with a window, any number of subscribers, the same code for every contender.
 *
 * A contender is a server that runs: `{name, pid, batches(), answerMarker, openPublisher(), openSubscriber(i), mostPerSecond?}`.
 */
import { MARKER } from './frames.mjs'
import { readCpuSeconds } from './machine.mjs'
import { MarkerCounter } from './marker-counter.mjs'
import { mapWithin, sleep } from './waiting.mjs'

/** How long nothing may come back before a run has failed, in milliseconds. */
const STALL_MS = 10_000

/** How often that is looked at, in milliseconds. */
const LOOK_MS = 500

/** When a sender that has sent its share of a second looks again, in milliseconds. */
const NEXT_LOOK_MS = 5

/** Connections opened at once. */
const OPENING = 32

/**
 * Keeps a window of frames on the way: what has come back makes room, and room is filled once per loop turn.
 */
class Pump {
  sent = 0
  /** Markers that have come back; a frame is back when all of its markers are. */
  marks = 0
  #send
  #window
  #marksPerFrame
  #limit = Infinity
  #mostPerSecond
  /** The second of the clock that was last sent in, and how much was. */
  #second = { at: 0, sent: 0 }
  #isScheduled = false
  #fail
  #watch
  #drained
  /** Rejects when nothing comes back any more, or a connection is lost. */
  #failed

  /** @param options.mostPerSecond - frames in one second of the clock, where a server takes no more than that */
  constructor({ send, window, marksPerFrame, mostPerSecond = Infinity }) {
    this.#mostPerSecond = mostPerSecond
    this.#send = send
    this.#window = window
    this.#marksPerFrame = marksPerFrame
    this.#failed = new Promise((_resolve, reject) => {
      this.#fail = reject
    })
    // Somebody always waits for it by `while`, but not from the first moment.
    this.#failed.catch(() => {})
  }

  /** Begins; ends by itself after `limit` frames. */
  start(limit = Infinity) {
    this.#limit = limit
    let before = -1
    let sinceMs = performance.now()
    this.#watch = setInterval(() => {
      if (this.marks !== before || this.#isBack()) {
        before = this.marks
        sinceMs = performance.now()
      } else if (performance.now() - sinceMs > STALL_MS) {
        this.#fail(
          new Error(
            `nothing came back: ${this.sent} sent, ${this.marks} markers of ${this.#marksPerFrame} each`,
          ),
        )
      }
    }, LOOK_MS)
    this.#fill()
  }

  /** A connection was lost. */
  lose(error) {
    this.#fail(error)
  }

  /** Something came back. */
  mark(count) {
    if (count === 0) return
    this.marks += count
    if (this.#drained !== undefined && this.#isBack()) this.#drained()
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#fill()
    })
  }

  /** Waits for something while the load runs. @throws Error when the load fails meanwhile */
  while(promise) {
    return Promise.race([promise, this.#failed])
  }

  /** Sends no more than has been, or than the limit, and waits until exactly that has come back. */
  async finish() {
    if (this.#limit === Infinity) this.#limit = this.sent
    const drained = new Promise((resolve) => {
      this.#drained = resolve
      if (this.#isBack()) resolve()
    })
    await this.while(drained)
    if (this.marks !== this.sent * this.#marksPerFrame) {
      throw new Error(`${this.sent} frames were sent and ${this.marks} markers came back`)
    }
  }

  close() {
    clearInterval(this.#watch)
  }

  #leftInSecond() {
    const at = Math.floor(Date.now() / 1_000)
    if (at !== this.#second.at) this.#second = { at, sent: 0 }
    return this.#mostPerSecond - this.#second.sent
  }

  #isBack() {
    return this.sent >= this.#limit && this.marks >= this.sent * this.#marksPerFrame
  }

  #fill() {
    const onTheWay = this.sent - Math.floor(this.marks / this.#marksPerFrame)
    const wanted = Math.min(this.#window - onTheWay, this.#limit - this.sent)
    const room = Math.min(wanted, this.#leftInSecond())
    if (room < wanted) setTimeout(() => this.#fill(), NEXT_LOOK_MS)
    if (room <= 0) return
    this.#second.sent += room
    this.sent += room
    this.#send(room)
  }
}

/** Opens a publisher and subscribers and gives them to a pump. Without subscribers, answers are what comes back. */
export async function openLoad(contender, { subscribers, window }) {
  const publisher = await contender.openPublisher()
  const readers = await mapWithin(Array.from({ length: subscribers }), OPENING, (_, i) =>
    contender.openSubscriber(i),
  )
  const batches = contender.batches()
  const pump = new Pump({
    send: (count) => publisher.write(batches(count)),
    window,
    marksPerFrame: Math.max(1, subscribers),
    mostPerSecond: contender.mostPerSecond,
  })
  for (const connection of [publisher, ...readers]) connection.onLost = (error) => pump.lose(error)
  const counted = subscribers === 0 ? [publisher] : readers
  for (const connection of counted) {
    const counter = new MarkerCounter(subscribers === 0 ? contender.answerMarker : MARKER)
    connection.onBytes = (buffer, length) => pump.mark(counter.feed(buffer, length))
  }
  return {
    pump,
    close: () => {
      pump.close()
      for (const connection of [publisher, ...readers]) connection.close()
    },
  }
}

/**
 * Frames at full speed within a window.
 *
 * @param options.subscribers - how many read; with 0 it is the answers that count
 * @returns `{perSecond, cpuMicros, clientShare}`: deliveries (or answers) per second, the server's CPU time for
 *   each, and how busy this client was, 0…1
 */
export async function measureThroughput(contender, { subscribers, window, warmupMs, measureMs }) {
  const load = await openLoad(contender, { subscribers, window })
  const { pump } = load
  try {
    pump.start()
    await pump.while(sleep(warmupMs))
    const marks = pump.marks
    const startedMs = performance.now()
    const cpu = readCpuSeconds(contender.pid)
    const client = process.cpuUsage()
    await pump.while(sleep(measureMs))
    const seconds = (performance.now() - startedMs) / 1_000
    const cpuSeconds = cpu === undefined ? undefined : readCpuSeconds(contender.pid) - cpu
    const { user, system } = process.cpuUsage(client)
    const count = pump.marks - marks
    await pump.finish()
    return {
      perSecond: count / seconds,
      cpuMicros: cpuSeconds === undefined ? null : (cpuSeconds / count) * 1e6,
      clientShare: (user + system) / 1e6 / seconds,
    }
  } finally {
    load.close()
  }
}

/** Sends so many frames and waits until all have come back. */
export async function sendFrames(contender, { count, window = 256 }) {
  const load = await openLoad(contender, { subscribers: 0, window })
  try {
    load.pump.start(count)
    await load.pump.finish()
  } finally {
    load.close()
  }
}

/**
 * From the write of a frame to its arrival at the last subscriber, one frame at a time.
 *
 * @returns microseconds of each sample
 */
export async function measureLatency(contender, { subscribers, samples, warmup }) {
  const publisher = await contender.openPublisher()
  const readers = await mapWithin(Array.from({ length: subscribers }), OPENING, (_, i) =>
    contender.openSubscriber(i),
  )
  const batches = contender.batches()
  const micros = []
  let watch
  try {
    await new Promise((resolve, reject) => {
      let arrived = 0
      let frames = 0
      let sentMs = 0
      const send = () => {
        const bytes = batches(1)
        sentMs = performance.now()
        publisher.write(bytes)
      }
      const take = (count) => {
        arrived += count
        if (arrived < subscribers * (frames + 1)) return
        if (frames >= warmup) micros.push((performance.now() - sentMs) * 1_000)
        frames += 1
        if (frames === samples + warmup) resolve()
        else send()
      }
      for (const connection of [publisher, ...readers]) connection.onLost = reject
      for (const reader of readers) {
        const counter = new MarkerCounter(MARKER)
        reader.onBytes = (buffer, length) => take(counter.feed(buffer, length))
      }
      let before = -1
      watch = setInterval(() => {
        if (frames === before) reject(new Error(`no frame arrived after ${frames}`))
        before = frames
      }, STALL_MS)
      send()
    })
  } finally {
    clearInterval(watch)
    for (const connection of [publisher, ...readers]) connection.close()
  }
  return micros
}
