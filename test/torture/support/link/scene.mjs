/**
 * Machines, a hub, a way to it for each, three speakers and a reader on every machine, and the account of it all:
 * `lost`, `twice` and `out_of_order` have to be 0 whatever happens between.
 */
import { waitFor } from '../waiting.mjs'
import { Hub } from './hub.mjs'
import { LinkedNode } from './node.mjs'
import { Listener, speakersOf } from './speakers.mjs'
import { isApart } from '../namespaces.mjs'
import { Way } from './way.mjs'
import { Wire } from './wire.mjs'

/** How long what was said may take to be everywhere once nothing is ill-treated any more. */
const SETTLED_MS = 60_000

export class Scene {
  hub
  nodes = []
  ways = new Map()
  speakers = []
  listeners = []

  /**
   * Starts everything, and waits until every link is up.
   *
   * @param wish.names - of the machines; two unless it says otherwise
   * @param wish.absent - of them, those that are invited and not there
   * @param wish.hub - of `Hub.start`
   * @param wish.node - of `LinkedNode`, for a name
   * @param wish.speaker - of a publisher, or that for a name
   * @param wish.isLong - ways may be made long
   */
  static async start(wish = {}) {
    const { names = ['laptop', 'devbox'], absent = [], hub = {}, node = () => ({}), speaker } = wish
    const scene = new Scene()
    scene.hub = await Hub.start({ nodes: names, ...hub })
    for (const name of names.filter((one) => !absent.includes(one))) {
      const way = await openWay(scene.hub.port, wish)
      scene.ways.set(name, way)
      const linkText = scene.hub.linkText(name, way)
      scene.nodes.push(await LinkedNode.start(name, { linkText, command: way.command, ...node(name) }))
    }
    for (const one of scene.nodes) await one.become('up')
    // Whoever joins later would not be owed what was said before.
    await scene.everybodyHere()
    for (const one of scene.nodes) {
      const listener = new Listener(one)
      await listener.open()
      scene.listeners.push(listener)
      const options = typeof speaker === 'function' ? speaker(one.name) : speaker
      scene.speakers.push(...speakersOf(one, options))
    }
    return scene
  }

  node(name) {
    return this.nodes.find((one) => one.name === name)
  }

  way(name) {
    return this.ways.get(name)
  }

  listener(name) {
    return this.listeners.find(({ node }) => node.name === name)
  }

  speakersOf(name) {
    return this.speakers.filter((one) => one.name.startsWith(`${name}-`))
  }

  /** Every machine has heard of every other. */
  async everybodyHere() {
    const others = this.nodes.length - 1
    await waitFor(async () => {
      const links = await Promise.all(this.nodes.map((one) => one.link()))
      return links.every((link) => link?.nodes.filter(({ state }) => state === 'here').length >= others)
    }, SETTLED_MS)
  }

  async speak(speakers = this.speakers) {
    await Promise.all(speakers.map((one) => one.start()))
  }

  async hush(speakers = this.speakers) {
    await Promise.all(speakers.map((one) => one.stop()))
  }

  missing() {
    return this.listeners.reduce((sum, one) => sum + one.missing(this.speakers), 0)
  }

  /** Ends the speaking and waits until everything is everywhere. @returns the account */
  async settle({ withinMs = SETTLED_MS } = {}) {
    await this.hush()
    const startedMs = performance.now()
    await waitFor(() => this.missing() === 0, withinMs, 20)
    const settledMs = Math.round(performance.now() - startedMs)
    // What is repeated now would be repeated wrongly.
    await new Promise((done) => setTimeout(done, 300))
    const sum = (key) => this.listeners.reduce((total, { account }) => total + account[key], 0)
    const acked = this.speakers.reduce((total, one) => total + one.acked.size, 0)
    const figures = {
      acked_frames: acked,
      lost: this.missing(),
      twice: sum('twice'),
      out_of_order: sum('outOfOrder'),
      gaps: this.listeners.reduce((total, { account }) => total + account.gaps.length, 0),
      refused: this.speakers.reduce((total, one) => total + one.refused.length, 0),
      ...firstRefusal(this.speakers),
      settled_ms: settledMs,
    }
    const kept = ['lost', 'twice', 'out_of_order', 'gaps', 'refused'].every((name) => figures[name] === 0)
    return { figures, holds: kept && acked > 0 }
  }

  async stop() {
    for (const one of this.listeners) one.close()
    await Promise.all(this.nodes.map((one) => one.stop()))
    for (const way of this.ways.values()) await way.close()
    await this.hub.stop()
  }
}

/** Runs work with a scene, and takes it down whatever happens. */
export async function withScene(wish, work) {
  const scene = await Scene.start(wish)
  try {
    return await work(scene)
  } finally {
    await scene.stop()
  }
}

/** A wire where there are networks for it, else a piece of loopback. */
export function openWay(port, { isLong } = {}) {
  return isApart ? Wire.open(port, { isLong }) : Way.open(port)
}

/** The first refusal in words, where there was any. */
function firstRefusal(speakers) {
  const first = speakers.flatMap(({ refused }) => refused)[0]
  return first === undefined ? {} : { first_refusal: JSON.stringify(first) }
}
