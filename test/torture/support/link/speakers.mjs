/**
 * Who speaks and who listens while a link is ill-treated: three sessions on each machine, and one reader of everything on
 * each. What a speaker was acknowledged has to come everywhere, once, in its order.
 */
import { makeFrame } from '../frames.mjs'
import { request } from '../http.mjs'
import { startPublisher } from '../publisher.mjs'
import { openReader } from '../reader.mjs'

/** Speakers on each machine. */
const SPEAKERS = 3

/** Moments of acknowledgement that are kept of each. */
const KEPT_TIMES = 10_000

/** What a speaker's text begins with, so that everything else on a stream is left alone. */
const WORD = /"broadcast_text":"said ([a-z0-9-]+) (\d+)"/

/** One session that counts aloud. */
export class Speaker {
  name
  /** The number of each frame that was acknowledged → its event id. */
  acked = new Map()
  refused = []
  /** Between submission and acknowledgement, in milliseconds. */
  latencies = []
  /** When the last ones were acknowledged, by number; by `performance.now()`. */
  ackedMs = new Map()
  #node
  #next = 0
  /** Of those that are not answered yet. */
  #sentMs = new Map()
  #options
  #publisher
  #token

  constructor(node, index, options = {}) {
    this.name = `${node.name}-${index}`
    this.#node = node
    this.#options = options
  }

  /** Registers its session and begins, or goes on with the next number. */
  async start() {
    const { socket } = this.#node
    const json = { instrument: 'cc-opus-4-6', session_id: this.name }
    // A restarted daemon knows its sessions, and asks for the token of who says to be one.
    const { body, status } = await request(socket, '/v1/sessions', { json, token: this.#token })
    if (status !== 201 && status !== 200)
      throw new Error(`${this.name} is no session: ${JSON.stringify(body)}`)
    this.#token ??= body.token
    const { pauseMs = 10, window = 4 } = this.#options
    this.#publisher = startPublisher(socket, {
      token: this.#token,
      pauseMs,
      window,
      make: () => this.#make(),
      onAck: (one) => this.#onAck(one),
    })
  }

  /** No more is sent, and what is owed an answer gets it. */
  async stop() {
    await this.#publisher?.stop()
    this.refused.push(...(this.#publisher?.refused ?? []))
    this.#publisher = undefined
  }

  /** The daemon is gone: what was not answered was never promised. */
  drop() {
    this.#publisher?.destroy()
    this.refused.push(...(this.#publisher?.refused ?? []))
    this.#publisher = undefined
  }

  /** Latencies since the last call. */
  takeLatencies() {
    return this.latencies.splice(0)
  }

  #make() {
    this.#next += 1
    this.#sentMs.set(this.#next, performance.now())
    // A machine whose clock is wrong stamps what it says with that.
    const { clockMs = 0, members } = this.#options
    const created_at = new Date(Date.now() + clockMs).toISOString()
    return makeFrame({ text: `said ${this.name} ${this.#next}`, created_at, ...members })
  }

  #onAck({ text, eventId }) {
    const number = Number(WORD.exec(text)[2])
    this.latencies.push(performance.now() - this.#sentMs.get(number))
    this.#sentMs.delete(number)
    this.ackedMs.set(number, performance.now())
    this.ackedMs.delete(number - KEPT_TIMES)
    this.acked.set(number, eventId)
  }
}

/** One reader's account of every speaker. */
class Account {
  /** Speaker → numbers that came. */
  heard = new Map()
  twice = 0
  outOfOrder = 0
  gaps = []
  /** Everything in the order in which it came: `{name, number}`, or `{gap}`; absent where nobody looks at it. */
  log
  #last = new Map()

  take(event, data, onHeard) {
    if (event === 'agentd_gap') {
      this.gaps.push(JSON.parse(data))
      this.log?.push({ gap: this.gaps.at(-1) })
    }
    const found = event === 'agent_frame' ? WORD.exec(data) : null
    if (found === null) return
    const [, name, digits] = found
    const number = Number(digits)
    const seen = this.heard.get(name) ?? new Set()
    this.heard.set(name, seen)
    if (seen.has(number)) this.twice += 1
    else if (number < (this.#last.get(name) ?? 0)) this.outOfOrder += 1
    seen.add(number)
    this.#last.set(name, Math.max(number, this.#last.get(name) ?? 0))
    this.log?.push({ name, number })
    onHeard?.(name, number)
  }
}

/** The reader of one machine. */
export class Listener {
  node
  account = new Account()
  /** Called with speaker and number of everything that comes; set by whoever wants to know. */
  onHeard
  /** Called with every event; as above. */
  onEvent
  #reader

  constructor(node) {
    this.node = node
  }

  /** Where it is now, for another reader to begin at. */
  get cursor() {
    return this.#reader.lastId
  }

  /** @param after - a cursor to begin at */
  async open(after) {
    this.#reader = openReader(this.node.socket, {
      resume: true,
      keep: false,
      ...(after !== undefined && { after }),
      onEvent: (one) => {
        this.account.take(one.event, one.data, this.onHeard)
        this.onEvent?.(one)
      },
    })
    await this.#reader.until(() => this.#reader.connects > 0)
  }

  /** How many of those that were acknowledged have not come. */
  missing(speakers) {
    let missing = 0
    for (const { name, acked } of speakers) {
      const heard = this.account.heard.get(name)
      for (const number of acked.keys()) if (heard?.has(number) !== true) missing += 1
    }
    return missing
  }

  close() {
    this.#reader?.close()
  }
}

/** Three speakers for a machine. */
export function speakersOf(node, options) {
  return Array.from({ length: SPEAKERS }, (_, i) => new Speaker(node, i + 1, options))
}
