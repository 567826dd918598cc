/**
 * The way of one machine to the hub where each has a network of its own: two devices and a wire, which is pulled out and put
 * back. What this kernel cannot do, a long way, goes by `Way` on the hub's end of it.
 */
import { Namespace } from '../namespaces.mjs'
import { Way } from './way.mjs'

export class Wire {
  host
  port
  /** In front of the machine's daemon. */
  command
  #namespace
  #long
  #rate
  #octetsBefore = 0

  /** @param isLong - whether it may be made long */
  static async open(targetPort, { isLong = false } = {}) {
    const wire = new Wire()
    wire.#namespace = await Namespace.open()
    wire.host = wire.#namespace.host
    wire.command = wire.#namespace.command
    if (isLong) wire.#long = await Way.open(targetPort, { host: wire.host })
    wire.port = wire.#long?.port ?? targetPort
    return wire
  }

  /** As of `Way`; the packets of both directions, with their heads. */
  get carried() {
    return this.#namespace.octets.from - this.#octetsBefore
  }

  get rate() {
    return this.#rate
  }

  /** Each way; octets are counted from when there is one. */
  set rate(octets) {
    this.#rate = octets
    this.#namespace.limit(octets)
    this.#octetsBefore = this.#namespace.octets.from
  }

  set delayMs(ms) {
    if (this.#long === undefined) throw new Error('This wire was not made to be long.')
    this.#long.delayMs = ms
  }

  cut() {
    this.#namespace.carry(false)
  }

  heal() {
    this.#namespace.carry(true)
  }

  /** Connections of the machine's that are there now. */
  get connections() {
    return this.#namespace.connections
  }

  drop() {
    this.#namespace.breakConnections()
  }

  loseOneOf(packets) {
    this.#namespace.loseOneOf(packets)
  }

  stopLosing() {
    return this.#namespace.stopLosing()
  }

  async close() {
    await this.#long?.close()
    this.#namespace.close()
  }
}
