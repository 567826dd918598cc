/**
 * A machine of the person's: a real daemon with a link to a hub, which starts its own bridge; and somebody on it who speaks
 * and does not let go until the daemon has it.
 */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { encodeLink } from '../../src/link/link-file.ts'
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { validFrame, validPayload } from '../support/frames.ts'
import type { TestHub } from '../support/hub.ts'
import { request, type Reply } from '../support/http.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { within } from '../support/within.ts'

/** Everything leaves, and everything comes. */
const RULES = { allow: { kinds: ['*'], presence: 'full' }, accept: { per_second: 100_000 } }

const LINK = 'home'

/** How long something may take that goes over processes and a hub, on a machine that has other things to do. */
const PATIENCE_MS = 60_000

/** How often is asked whether it is so by now. */
const LOOK_MS = 20

type Variables = Readonly<Record<string, string>>

interface Started {
  readonly daemon: TestDaemon
  readonly variables: Variables
}

/** What stands in a history. */
interface Heard {
  readonly text: string
  /** The node it came from; undefined: it was accepted here first. */
  readonly node: string | undefined
}

export class LinkedDaemon implements AsyncDisposable {
  readonly node: string
  readonly #dir: TempDir
  readonly #variables: Variables
  #daemon: TestDaemon

  private constructor(node: string, dir: TempDir, started: Started) {
    this.node = node
    this.#dir = dir
    this.#daemon = started.daemon
    this.#variables = started.variables
  }

  /**
   * @param port - the way to the hub, where it is another one than the straight one
   * @param variables - of the daemon's process, besides those of every test
   */
  static async start(
    hub: Pick<TestHub, 'linkOf'>,
    node: string,
    port?: number,
    variables: Variables = {},
  ): Promise<LinkedDaemon> {
    const dir = await createTempDir()
    const folder = dir.file('state', 'links', LINK)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(dir.file('state', 'links', LINK, 'link.json'), encodeLink(hub.linkOf(node, port)), {
      mode: 0o600,
    })
    return new LinkedDaemon(node, dir, { daemon: await startIn(dir, variables), variables })
  }

  get socket(): string {
    return this.#daemon.socket
  }

  get pid(): number {
    return this.#daemon.pid
  }

  /** With which a command speaks to it. */
  get env(): TestDaemon['env'] {
    return this.#daemon.env
  }

  /** What the daemon has logged since it was started last. */
  get log(): string {
    return this.#daemon.stderr()
  }

  ask(path: string, json?: unknown): Promise<Reply> {
    return request(this.socket, path, json === undefined ? {} : { json })
  }

  /** Has it accepted, however often it takes: the frame's own id makes a second time the first one (AC-175). */
  async say(text: string): Promise<void> {
    const frame = validFrame('agent_advisory', {
      payload: { ...validPayload('agent_advisory'), advisory_text: text },
    })
    for (;;) {
      const reply = await this.ask('/v1/frames', frame).catch(() => undefined)
      if (reply !== undefined && reply.status < 300) return
      if (reply !== undefined && reply.status < 500 && reply.status !== 429) throw new Error(reply.text)
      await pauseMs(LOOK_MS)
    }
  }

  /** Waits until its link is in this state. */
  async state(wanted: string): Promise<void> {
    await this.#until(`the link of ${this.node} to be ${wanted}`, async () => {
      const { body } = await this.ask('/v1/links')
      return body.links[0]?.state === wanted
    })
  }

  /** Waits until it knows how far a node's clock is from the hub's. @returns that, in milliseconds */
  async offsetOf(node: string): Promise<number> {
    let offset: number | undefined
    await this.#until(`the clock of ${node} at ${this.node}`, async () => {
      const { body } = await this.ask('/v1/links')
      const nodes: readonly { node: string; offset_ms: number | null }[] = body.links[0].nodes
      offset = nodes.find((one) => one.node === node)?.offset_ms ?? undefined
      return offset !== undefined
    })
    return offset ?? Number.NaN
  }

  /** A session that holds no stream. @returns how many items wait for it, without taking them */
  async mailbox(): Promise<() => Promise<number>> {
    const json = { instrument: 'cc', session_id: 'm1', mailbox: true }
    const { body: session } = await request(this.socket, '/v1/sessions', { json })
    return async () => {
      const { body } = await request(this.socket, '/v1/inbox/drain', {
        json: { peek: true },
        token: session.token,
      })
      return body.items.length
    }
  }

  /** Waits until something is so. @returns when it was, wall time in milliseconds */
  async when(what: string, look: () => Promise<boolean>): Promise<number> {
    await this.#until(what, look)
    return Date.now()
  }

  /** Everything it has, oldest first. */
  async history(): Promise<readonly Heard[]> {
    const { body: newest } = await this.ask('/v1/frames?limit=1')
    const [epoch] = String(newest.items[0]?.event_id ?? '').split('-')
    const heard: Heard[] = []
    for (let after: string | null = newest.items.length === 0 ? null : `${epoch}-0`; after !== null;) {
      const { body } = await this.ask(`/v1/frames?limit=1000&after=${after}`)
      for (const { frame, node } of body.items)
        heard.push({ text: frame.payload.advisory_text, node: node ?? undefined })
      after = body.next
    }
    return heard
  }

  /** What has come from one node, in order. */
  async heardFrom(node: string): Promise<readonly string[]> {
    return (await this.history()).filter((one) => one.node === node).map(({ text }) => text)
  }

  /** Waits until so many have come from a node; more may have. */
  async hears(node: string, count: number): Promise<readonly string[]> {
    let last: readonly string[] = []
    await this.#until(`${count} of ${node} at ${this.node}`, async () => {
      last = await this.heardFrom(node)
      return last.length >= count
    })
    return last
  }

  /** Waits until there is nothing but this. */
  async hearsOnly(text: string): Promise<void> {
    await this.#until(`only "${text}" at ${this.node}`, async () => {
      const heard = await this.history()
      return heard.length === 1 && heard[0]?.text === text
    })
  }

  /** `kill -9`, and a new one over the same disk. */
  async restart(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await this.#daemon.stop(signal)
    this.#daemon = await startIn(this.#dir, this.#variables)
  }

  /** `kill -9` of the process that carries its link. */
  async killBridge(): Promise<void> {
    const pid = await this.bridgePid()
    process.kill(pid, 'SIGKILL')
  }

  /** The process that carries its link, once there is one. */
  async bridgePid(): Promise<number> {
    let found: number | undefined
    await this.#until(`a bridge of ${this.node}`, () => {
      found = childrenOf(this.pid).find((pid) => commandOf(pid).includes('bridge/main.js'))
      return Promise.resolve(found !== undefined)
    })
    return found ?? -1
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#daemon[Symbol.asyncDispose]()
    await this.#dir[Symbol.asyncDispose]()
  }

  async #until(what: string, look: () => Promise<boolean>): Promise<void> {
    const asking = (async () => {
      while (!(await look().catch(() => false))) await pauseMs(LOOK_MS)
    })()
    await within(asking, `${what}; the daemon said: ${this.log.slice(-2_000)}`, PATIENCE_MS)
  }
}

function startIn(dir: TempDir, env: Variables): Promise<TestDaemon> {
  return startTestDaemon({ dir, env, config: { links: { [LINK]: RULES } } })
}

function childrenOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => parentOf(one) === pid)
}

/** It may be gone by the time that it is looked at. */
function parentOf(pid: number): number | undefined {
  try {
    const [, parent] = /^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return Number(parent)
  } catch {
    return undefined
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

function pauseMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
