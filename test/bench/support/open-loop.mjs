/**
 * Load that does not wait: a frame is due by the clock, whatever has become of those before it.
 *
 * Latency counts from the moment a frame was due. A server that stalls, or a client that could not write in time,
 * so makes every frame late that was due meanwhile, and none is left out.
 */
import { MARKER } from './frames.mjs'
import { MarkerCounter } from './marker-counter.mjs'
import { quantile } from './statistics.mjs'
import { within } from './waiting.mjs'

/** How long a run may take on top of its own time, until the last frame has arrived, in milliseconds. */
const DRAIN_MS = 30_000

/** Copies a batch can hold at the most. */
const MAX_BATCH = 256

/** Less than this share of what was offered is not reached. */
const REACHED_SHARE = 0.97

/** One run: so many frames, due at equal distances, and when each of them was written and arrived. */
class Paced {
  #startMs = 0
  #framesPerMs
  #total
  #sent = 0
  #arrived = 0
  #lastMs = 0
  /** Milliseconds from when a frame was due. */
  #late
  #took
  #write
  #isOver = false

  /** @param write - writes so many frames */
  constructor({ framesPerSecond, totalMs, write }) {
    this.#framesPerMs = framesPerSecond / 1_000
    this.#total = Math.round(this.#framesPerMs * totalMs)
    this.#late = new Float64Array(this.#total)
    this.#took = new Float64Array(this.#total)
    this.#write = write
  }

  /** Begins. @returns resolves when every frame has arrived */
  run() {
    this.#startMs = performance.now()
    return new Promise((resolve) => {
      // Never rests, so that no timer's granularity is taken for the server's latency; the core is the client's own.
      const turn = () => {
        this.#writeDue()
        if (this.#isOver || this.#arrived >= this.#total) resolve()
        else setImmediate(turn)
      }
      turn()
    })
  }

  stop() {
    this.#isOver = true
  }

  /** So many more have arrived, in the order they were sent. */
  arrive(count) {
    const nowMs = performance.now()
    const end = Math.min(this.#total, this.#arrived + count)
    for (let i = this.#arrived; i < end; i += 1) this.#took[i] = nowMs - this.#dueMs(i)
    this.#arrived += count
    this.#lastMs = nowMs
  }

  /** @param warmupMs - frames due earlier do not count */
  result(warmupMs) {
    if (this.#arrived !== this.#total)
      throw new Error(`${this.#total} frames were sent and ${this.#arrived} arrived`)
    const first = Math.round(this.#framesPerMs * warmupMs)
    const took = this.#took.subarray(first)
    const perSecond = (this.#total / (this.#lastMs - this.#startMs)) * 1_000
    return {
      p50Micros: quantile(took, 0.5) * 1_000,
      p99Micros: quantile(took, 0.99) * 1_000,
      lateMicros: quantile(this.#late.subarray(first), 0.99) * 1_000,
      perSecond,
      isReached: perSecond >= REACHED_SHARE * this.#framesPerMs * 1_000,
    }
  }

  #dueMs(i) {
    return this.#startMs + i / this.#framesPerMs
  }

  #writeDue() {
    const nowMs = performance.now()
    const due = Math.min(this.#total, Math.floor((nowMs - this.#startMs) * this.#framesPerMs) + 1)
    while (this.#sent < due) {
      const count = Math.min(MAX_BATCH, due - this.#sent)
      for (let i = this.#sent; i < this.#sent + count; i += 1) this.#late[i] = nowMs - this.#dueMs(i)
      this.#sent += count
      this.#write(count)
    }
  }
}

/**
 * Offers so many frames a second to one subscriber.
 *
 * @returns `{p50Micros, p99Micros, lateMicros, perSecond, isReached}`: from due to arrival; how late the client
 *   wrote (p99), which is part of it; what arrived per second, and whether that is what was offered
 */
export async function measureOpenLoop(contender, { framesPerSecond, warmupMs, measureMs }) {
  const totalMs = warmupMs + measureMs
  const publisher = await contender.openPublisher()
  const reader = await contender.openSubscriber(0)
  const batches = contender.batches()
  const paced = new Paced({ framesPerSecond, totalMs, write: (count) => publisher.write(batches(count)) })
  const counter = new MarkerCounter(MARKER)
  reader.onBytes = (buffer, length) => paced.arrive(counter.feed(buffer, length))
  try {
    const lost = new Promise((_resolve, reject) => {
      for (const connection of [publisher, reader]) connection.onLost = reject
    })
    await within(Promise.race([paced.run(), lost]), totalMs + DRAIN_MS, 'a load did not arrive')
    return paced.result(warmupMs)
  } finally {
    paced.stop()
    for (const connection of [publisher, reader]) connection.close()
  }
}
