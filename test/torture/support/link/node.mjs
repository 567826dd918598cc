/**
 * A machine of a link: a real daemon with its store, the link in its folder, and the bridge that the daemon runs itself.
 */
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { startDaemon } from '../daemon.mjs'
import { request } from '../http.mjs'
import { createTempDir } from '../temp-dir.mjs'
import { waitFor } from '../waiting.mjs'

export const LINK = 'home'

/** Everything may leave and everybody is told who is here. */
const OPEN_RULES = { allow: { kinds: ['*'], presence: 'full' } }

/** Nothing acknowledged is trimmed within a run. */
const RING = { max_frames: 10_000_000, max_bytes: 2 ** 33 }

/** What a link takes to be up on a busy machine, in milliseconds. */
const UP_MS = 30_000

/** How long a bridge may take to notice that its daemon is gone, in milliseconds. */
const ORPHAN_MS = 5_000

export class LinkedNode {
  name
  dir
  daemon
  #wish

  /**
   * @param wish.linkText - of `Hub.linkText`; absent: a machine without a link
   * @param wish.rules - what may leave; everything unless it says otherwise
   * @param wish.command - in front of the daemon, as startDaemon has it
   * @param wish.copyOf - a node whose disk this one begins with; that has to be down
   */
  constructor(name, wish) {
    this.name = name
    this.#wish = wish
    this.dir = createTempDir()
    if (wish.copyOf !== undefined)
      cpSync(wish.copyOf.dir.file('state'), this.dir.file('state'), { recursive: true })
    if (wish.linkText !== undefined) this.putLink(wish.linkText)
  }

  static async start(name, wish) {
    const node = new LinkedNode(name, wish)
    await node.start()
    return node
  }

  get socket() {
    return this.dir.file('a.sock')
  }

  /** @param env - further variables, for this time */
  async start(env = this.#wish.env) {
    const { command, config = {}, rules = OPEN_RULES } = this.#wish
    this.daemon = await startDaemon({
      dir: this.dir,
      env,
      command,
      config: { ring: RING, ...config, links: { [LINK]: rules } },
    })
  }

  putLink(text) {
    this.#put(['links', LINK], 'link.json', text)
  }

  /** As whoever adds a link to others has done by hand: their key counts, and there is a place for documents. @param key - a file's name, its text */
  trust({ name, text }) {
    this.#put(['keys'], name, text)
    mkdirSync(this.dir.file('state', 'authority'), { mode: 0o700 })
  }

  /** As {@link trust}, with the documents that have come by then. @param files - each its folder, name and text */
  take(files) {
    for (const [folder, name, text] of files) this.#put([folder], name, text)
  }

  #put(folders, name, text) {
    const paths = ['', ...folders].map((_, i) => this.dir.file('state', ...folders.slice(0, i)))
    for (const path of paths) {
      mkdirSync(path, { recursive: true, mode: 0o700 })
      chmodSync(path, 0o700)
    }
    writeFileSync(`${paths.at(-1)}/${name}`, text, { mode: 0o600 })
  }

  /** @returns the link as `agentd link status` would show it; undefined while there is no answer */
  async link() {
    try {
      const { body } = await request(this.socket, '/v1/links')
      return body.links[0]
    } catch {
      return undefined
    }
  }

  /** @returns how long it took, in milliseconds @throws Error where it does not become so */
  async become(state, timeoutMs = UP_MS) {
    const tookMs = await waitFor(async () => (await this.link())?.state === state, timeoutMs, 20)
    if (tookMs !== undefined) return tookMs
    const link = await this.link()
    throw new Error(
      `the link of ${this.name} is ${link?.state} (${link?.why}) and not ${state}: ${this.daemon.stderr().slice(-1_500)}`,
    )
  }

  /** The process id of its bridge; undefined between two of them. */
  bridgePid() {
    const { pid } = this.daemon
    try {
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      return children.split(' ').filter(Boolean).map(Number).find(isBridge)
    } catch {
      return undefined
    }
  }

  /** `kill -9` of the bridge. @returns whether there was one */
  killBridge() {
    const pid = this.bridgePid()
    if (pid === undefined) return false
    try {
      process.kill(pid, 'SIGKILL')
      return true
    } catch {
      return false
    }
  }

  /** `kill -9` of the daemon. @returns whether its bridge outlived it for more than some seconds */
  async kill() {
    const bridge = this.bridgePid()
    await this.daemon.stop('SIGKILL')
    if (bridge === undefined) return false
    return (await waitFor(() => !isBridge(bridge), ORPHAN_MS)) === undefined
  }

  ask(path, options) {
    return request(this.socket, path, options)
  }

  async stop() {
    await this.daemon.stop()
    this.dir.remove()
  }
}

function isBridge(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('bridge/main.js')
  } catch {
    return false
  }
}
