/**
 * Who speaks politely while something else is tried, in a process of its own: what the trying costs would be measured with it. To a
 * scene it is a speaker like any other.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { ownProcess } from '../cleanup.mjs'

const MEMBER = fileURLToPath(new URL('./polite-member.mjs', import.meta.url))

export class Polite {
  name
  acked = new Map()
  refused = []
  #where
  #child

  constructor({ name, socket }, index) {
    this.name = `${name}-${index}`
    this.#where = [name, socket, String(index)]
  }

  async start() {
    this.#child = fork(MEMBER, this.#where, { serialization: 'advanced' })
    ownProcess(this.#child)
    await this.#ask('start')
  }

  async stop() {
    if (this.#child === undefined) return
    const { acked, refused } = await this.#ask('stop')
    this.acked = acked
    this.refused = refused
    this.#child.disconnect()
    this.#child = undefined
  }

  /** @returns latencies since the last call, in milliseconds */
  takeLatencies() {
    return this.#ask('takeLatencies')
  }

  async #ask(word) {
    this.#child.send(word)
    const [{ answer, failure }] = await once(this.#child, 'message')
    if (failure !== undefined) throw new Error(failure)
    return answer
  }
}
