/**
 * All links of a daemon: one process and one token for each, and what is known of the nodes at their other ends.
 *
 * Loaded by the daemon where there is a link, and by nobody else (FED-01).
 *
 * @see docs/http.md §13; FED-01, FED-07, FED-50, FED-65
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { HubBound, OwnNodes, RemoteNode } from '../broker/remote/remote.ts'
import type { Retained } from '../broker/ring/retained.ts'
import { Observers } from '../core/collections/observers.ts'
import { orRefusal } from '../core/thrown.ts'
import { Failure } from '../core/errors.ts'
import { HostRefusal } from '../host/files/refusal.ts'
import type { StoredLink } from '../host/links/link-folders.ts'
import { ownRealm } from '../link/realm.ts'
import { decodeLink, type LinkFile } from '../link/link-file.ts'
import type { LinksReply } from '../protocol/http/links-reply.ts'
import { Supervisor, type BridgeProgram } from './bridge/supervisor.ts'
import type { EstatePlace } from './in/held-estate.ts'
import { describeRefused } from './describe-link.ts'
import { Link } from './link.ts'
import { Counting } from './out/counting.ts'
import type { GatewaySurroundings } from './link-parts.ts'
import { linkMetrics, type LinkMetric } from './metrics.ts'

/** Octets of a token. */
const TOKEN_BYTES = 32

export interface GatewayParts extends GatewaySurroundings {
  readonly socketPath: string
  readonly program: BridgeProgram
  /** Where the estate of a link stays. */
  readonly placeOf: (name: string) => EstatePlace
  /** Where is remembered what other members said of their machines. */
  readonly standingsOf: (name: string) => EstatePlace
}

/** A link that works, and its process. */
interface Running {
  readonly text: string
  readonly link: Link
  readonly token: Buffer
  readonly bridge: Supervisor
}

/** A link whose file, or estate, is none. */
interface Refused {
  readonly text: string
  readonly why: string
  readonly sinceMs: number
}

export class Gateway {
  readonly #parts: GatewayParts
  readonly #running = new Map<string, Running>()
  readonly #refused = new Map<string, Refused>()
  /** Told whenever something about the other nodes is another now. */
  readonly changes = new Observers<[]>()
  readonly #stopObserving: () => void
  readonly #counting: Counting
  #isClosed = false

  constructor(parts: GatewayParts) {
    const { broker } = parts
    this.#parts = parts
    this.#counting = new Counting(parts)
    const more = (): void => {
      for (const { link } of this.#running.values()) link.outbound.more()
    }
    this.#stopObserving = broker.observe(more)
    broker.forgetting.add(more)
    parts.charters.onChange(() => this.#documentsChanged())
    broker.sessions.observeChanges({ sessionChanged: () => this.#presenceChanged() })
  }

  /** Whether one of them works: then there are other nodes to speak of. */
  get isLinked(): boolean {
    return this.#running.size > 0
  }

  get count(): number {
    return this.#running.size + this.#refused.size
  }

  /** Has exactly these links from now on: what is as it was goes on undisturbed. */
  async have(links: readonly StoredLink[]): Promise<void> {
    const wanted = new Map(links.map(({ name, text }) => [name, text]))
    for (const [name, { text }] of this.#refused) if (wanted.get(name) !== text) this.#refused.delete(name)
    const gone = [...this.#running].filter(([name, { text }]) => wanted.get(name) !== text)
    for (const [name, running] of gone) {
      this.#running.delete(name)
      await end(running)
    }
    if (this.#isClosed) return
    for (const [name, text] of wanted)
      if (!this.#running.has(name) && !this.#refused.has(name)) this.#open(name, text)
    if (gone.length > 0 || links.length > 0) this.changes.tell()
  }

  linkOf(token: string): Link | undefined {
    const shown = Buffer.from(token)
    for (const { link, token: own } of this.#running.values())
      if (own.length === shown.length && timingSafeEqual(own, shown)) return link
    return undefined
  }

  /** What waits is counted before. */
  async list(): Promise<LinksReply> {
    await this.#counting.run([...this.#running.values()].map(({ link }) => link.outbound.counting()))
    const running = [...this.#running.values()].map(({ link }) => link.describe())
    const refused = [...this.#refused].map(([name, { why, sinceMs }]) => describeRefused(name, why, sinceMs))
    return { links: [...running, ...refused].toSorted((a, b) => (a.name < b.name ? -1 : 1)) }
  }

  async metrics(): Promise<readonly LinkMetric[]> {
    const { links } = await this.list()
    return linkMetrics(links)
  }

  nodes(): readonly RemoteNode[] {
    return [...this.#running.values()].flatMap(({ link }) => link.nodes())
  }

  knowsEntity(name: string): boolean {
    return [...this.#running.values()].some(({ link }) => link.knowsEntity(name))
  }

  /** As `Remote.reaches`: the first realm that names it. */
  reaches({ handle }: { readonly handle: string }): { readonly members: number } | undefined {
    for (const { link } of this.#running.values()) {
      const members = link.side.membersNamed(handle)
      if (members !== undefined) return { members }
    }
    return undefined
  }

  leaves(retained: Retained): boolean {
    return [...this.#running.values()].some(({ link }) => link.leaves(retained))
  }

  tooLargeFor(retained: Retained): readonly HubBound[] {
    return [...this.#running.values()].flatMap(({ link }) => {
      const maxPayload = link.boundOn(retained)
      return maxPayload === undefined ? [] : [{ link: link.name, maxPayload }]
    })
  }

  ownNodes(): OwnNodes | undefined {
    const realm = ownRealm(this.#parts.broker.principal)
    const own = [...this.#running.values()].filter(({ link }) => link.realm === realm)
    if (own.length === 0) return undefined
    return { realm, nodes: [...new Set(own.flatMap(({ link }) => link.others()))].toSorted() }
  }

  /** What may leave has been said anew. */
  reloaded(): void {
    for (const { link } of this.#running.values()) link.rulesChanged()
  }

  /** Ends every bridge. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopObserving()
    this.#counting.stop()
    const running = [...this.#running.values()]
    this.#running.clear()
    await Promise.all(running.map((one) => end(one)))
  }

  #open(name: string, text: string): void {
    const { clock, log, placeOf, standingsOf } = this.#parts
    const opened = orFault(() => {
      const file = decodeLink(text)
      const place = placeOf(name)
      const link = new Link({
        ...this.#parts,
        name,
        file,
        place,
        standings: standingsOf(name),
        onEstate: (estate) => this.#shareEstate(name, estate),
        onRemoteChange: () => this.changes.tell(),
      })
      return { link, file }
    })
    if (opened instanceof Failure) {
      log.error('link', { link: name, state: 'refused', code: opened.code })
      this.#refused.set(name, { text, why: opened.message, sinceMs: clock.nowMs() })
      return
    }
    const { link, file } = opened
    const token = Buffer.from(randomBytes(TOKEN_BYTES).toString('base64url'))
    const bridge = this.#supervise(link, file, token)
    for (const { link: other } of this.#running.values()) {
      link.shareEstate(other.estate.text)
      other.shareEstate(link.estate.text)
    }
    this.#running.set(name, { text, link, token, bridge })
    bridge.start()
  }

  #supervise(link: Link, file: LinkFile, token: Buffer): Supervisor {
    const { clock, log, program, socketPath } = this.#parts
    const { name } = link
    return new Supervisor({
      ...program,
      clock,
      errand: () => JSON.stringify({ socket: socketPath, token: token.toString(), name, link: file }),
      said: (line) => log.info('bridge', { link: name, line }),
      ended: (why, isHopeless) => {
        link.bridgeEnded(why, isHopeless)
        log.warn('bridge-ended', { link: name, why })
      },
    })
  }

  /** A link that nothing was granted to, or that had no key to go by, may be one now. */
  #documentsChanged(): void {
    const refused = [...this.#refused]
    this.#refused.clear()
    for (const [name, { text }] of refused) this.#open(name, text)
    for (const { link } of this.#running.values()) link.documentsChanged()
  }

  /** Every link goes by the newest estate of the person that any of them has. */
  #shareEstate(from: string, text: string): void {
    for (const [name, { link }] of this.#running) if (name !== from) link.shareEstate(text)
  }

  #presenceChanged(): void {
    for (const { link } of this.#running.values()) link.outbound.presenceChanged()
  }
}

/** A folder that cannot be used is the trouble of one link as well, and the others go on. */
function orFault<Result>(open: () => Result): Result | Failure {
  try {
    return orRefusal(open)
  } catch (thrown) {
    if (thrown instanceof HostRefusal) return thrown
    throw thrown
  }
}

/** First the process: what it still brings is taken. */
async function end({ bridge, link }: Running): Promise<void> {
  await bridge.stop()
  link.close()
}
