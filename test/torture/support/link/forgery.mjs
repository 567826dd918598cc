/**
 * A machine that exists on paper alone: the estate names it, its keys are here, and no daemon is behind it. What is put into
 * its lane is true or forged as the one who tries wishes.
 */
import { makeFrame } from '../frames.mjs'
import { REALM } from './hub.mjs'

/** Texts that begin so are true, and have to come; those that begin with the other never may. */
export const GENUINE = 'a true word'
export const FORGED = 'a forged word'

export class Ghost {
  name
  epoch = 'feedface'
  #hub
  #connection
  #seq = 0

  constructor(hub, name, connection) {
    this.#hub = hub
    this.name = name
    this.#connection = connection
  }

  static async rise(hub, name) {
    return new Ghost(hub, name, await hub.connectAsRoot())
  }

  get lane() {
    return this.#hub.parts.ownLane(REALM, this.name)
  }

  /** The key that the estate names for a machine. */
  keyOf(name) {
    const { readNodeKey } = this.#hub.parts
    return readNodeKey(this.#hub.nodes.get(name).nodeKey.seed).key
  }

  /**
   * One batch with one frame.
   *
   * @param change - `head` and `frame` members that are to be others, `records` beside the frame's, `recordText` to bend it
   */
  batch(text, change = {}) {
    const { formatBatch, formatRecord } = this.#hub.parts
    const seq = this.#seq + 1
    const e = `${this.epoch}-${seq}`
    const frame = makeFrame({ text: `${text} ${seq}`, ...change.frame })
    const record = formatRecord({
      t: 'frame',
      e,
      scope: '~alice/*',
      sender: undefined,
      at: Date.now(),
      frameText: JSON.stringify(frame),
    })
    const head = {
      v: 1,
      node: this.name,
      epoch: this.epoch,
      prev: this.#seq === 0 ? null : `${this.epoch}-${this.#seq}`,
      last: e,
      digest: `d${seq}`,
      clean: this.#seq === 0,
      reports: 0,
      sent_at: Date.now(),
      authority_epoch: 1,
      ...change.head,
    }
    const { bend = (line) => line, records = [] } = change
    return { seq, body: formatBatch(head, [bend(record), ...records]) }
  }

  /** A batch that its own key has signed, whatever stands in it; what follows counts on from it. */
  async say(text, change) {
    const { seq, body } = this.batch(text, change)
    await this.put(this.lane, body, this.sign(body))
    this.#seq = seq
  }

  sign(body, { key = this.keyOf(this.name), kid = this.name, subject = this.lane } = {}) {
    return this.#hub.parts.signBatch(key, kid, subject, body)
  }

  /** Publishes as somebody whom no permission holds. */
  async put(subject, body, signature) {
    const { HEADER_SIGNATURE, transport } = this.#hub.parts
    const headers = transport.headers()
    if (signature !== undefined) headers.set(HEADER_SIGNATURE, signature)
    await this.#connection.request(subject, body, { headers, timeout: 5_000 })
  }

  /** Listens to every lane. @returns a list of `{subject, body, signature}` that grows */
  overhear() {
    const { HEADER_SIGNATURE, laneFilter } = this.#hub.parts
    const heard = []
    this.#connection.subscribe(laneFilter(REALM), {
      callback: (_error, message) =>
        heard.push({
          subject: message.subject,
          body: message.string(),
          signature: message.headers?.get(HEADER_SIGNATURE),
        }),
    })
    return heard
  }

  async vanish() {
    await this.#connection.close()
  }
}

/** One octet of a text that is another one. */
export function flip(body, random) {
  const at = random.between(body.indexOf('\n') + 1, body.length - 1)
  const other = body[at] === 'x' ? 'y' : 'x'
  return body.slice(0, at) + other + body.slice(at + 1)
}
