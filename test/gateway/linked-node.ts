/**
 * One machine with a link: the real broker, gateway and server over a real socket, and a test in the place of its bridge.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { fileURLToPath } from 'node:url'
import { Broker } from '../../src/broker/broker.ts'
import { MemoryRing } from '../../src/broker/ring/memory/memory-ring.ts'
import type { RetentionBounds } from '../../src/broker/ring/ring.ts'
import { NOTHING_INHERITED, memoryLedger } from '../../src/broker/session/ledger.ts'
import type { Authority } from '../../src/broker/authority/authority.ts'
import type { Accords } from '../../src/gateway/accord/held-accord.ts'
import type { Charters } from '../../src/gateway/in/held-charter.ts'
import { Gateway } from '../../src/gateway/gateway.ts'
import type { LinkRules } from '../../src/host/config/config.ts'
import { encodeLink, type LinkFile } from '../../src/link/link-file.ts'
import { Admission } from '../../src/server/request/admission.ts'
import { MemoryBudget } from '../../src/server/request/memory-budget.ts'
import { createAgentdServer } from '../../src/server/server.ts'
import { ROOMY_LIMITS } from '../support/broker-limits.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { connectRaw, request, type RawConnection, type Reply, type RequestOptions } from '../support/http.ts'
import { openPolicy } from '../support/open-policy.ts'
import { silentLog } from '../support/silent-log.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import type { Message, RealmOfAlice } from './realm-of-alice.ts'

const IDLE_BRIDGE = fileURLToPath(new URL('idle-bridge.mjs', import.meta.url))

const RULES: LinkRules = {
  allow: {
    kinds: ['*'],
    from: ['*'],
    redact: [],
    presence: 'full',
    bus: [],
    compute: ['server-active', 'server-aggregate', 'local-only'],
  },
  accept: { kinds: ['*'], from: ['*'], perSecond: 2_000 },
}

/** How a node differs from one that lets everything out. */
export interface NodeOptions {
  readonly allow?: Partial<LinkRules['allow']>
  readonly accept?: Partial<LinkRules['accept']>
  readonly boundary?: readonly string[]
  readonly retention?: Partial<RetentionBounds>
  readonly file?: Partial<LinkFile>
  readonly epoch?: string
  /** Of the program in the bridge's place. */
  readonly env?: Readonly<Record<string, string>>
  readonly entry?: string
  /** Who is in what; absent: the person alone. */
  readonly authority?: Authority
  readonly charters?: Charters
  readonly accords?: Accords
}

/** A line of a feed, parsed. */
export type FeedLine = Readonly<Record<string, unknown>>

/** One feed that is read. */
export interface FeedReading extends Disposable {
  readonly raw: RawConnection
  lines(): readonly FeedLine[]
  /** So many lines with a member, once they have come. */
  having(member: string, count: number): Promise<readonly FeedLine[]>
}

export class LinkedNode implements AsyncDisposable {
  readonly node: string
  readonly clock = new FakeClock(Date.now())
  readonly broker: Broker
  readonly gateway: Gateway
  /** What was accepted of estates. */
  estate: string | undefined
  /** What is remembered of other members' estates. */
  standings: string | undefined
  allow: LinkRules['allow']
  accept: LinkRules['accept']
  readonly #dir: TempDir
  readonly #server: Server
  readonly #text: string

  private constructor(
    realm: Pick<RealmOfAlice, 'linkFile'>,
    node: string,
    dir: TempDir,
    options: NodeOptions,
  ) {
    const { clock } = this
    this.node = node
    this.#dir = dir
    this.allow = { ...RULES.allow, ...options.allow }
    this.accept = { ...RULES.accept, ...options.accept }
    this.#text = encodeLink(realm.linkFile(node, options.file))
    const bounds = { maxFrames: 10_000, maxBytes: 1 << 28, maxAgeMs: 1 << 30, ...options.retention }
    const ring = new MemoryRing(options.epoch ?? `of${node}`, bounds)
    const observers: (() => void)[] = []
    this.broker = new Broker({
      principal: '~alice',
      ...(options.authority !== undefined && { authority: options.authority }),
      limits: ROOMY_LIMITS,
      ring,
      ledger: memoryLedger(ring),
      inheritance: NOTHING_INHERITED,
      clock,
      processes: { startTime: () => undefined, exists: () => false },
      policy: openPolicy(),
      remote: {
        isLinked: true,
        nodes: () => this.gateway.nodes(),
        knowsEntity: (name) => this.gateway.knowsEntity(name),
        reaches: (scope) => this.gateway.reaches(scope),
        leaves: (retained) => this.gateway.leaves(retained),
        tooLargeFor: (retained) => this.gateway.tooLargeFor(retained),
        ownNodes: () => this.gateway.ownNodes(),
        onChange: (observer) => void observers.push(observer),
      },
      defer: setImmediate,
    })
    this.gateway = new Gateway({
      broker: this.broker,
      clock,
      log: silentLog,
      defer: setImmediate,
      boundary: () => ({ intents: options.boundary ?? [], redact: [], maxPriority: 'normal' }),
      rulesOf: () => ({ allow: this.allow, accept: this.accept }),
      charters: options.charters ?? { inForce: () => undefined, install() {}, onChange() {} },
      accords: options.accords ?? { accords: [], install() {} },
      isSigned: () => false,
      standingsOf: () => ({
        read: () => this.standings,
        put: (text) => {
          this.standings = text
        },
      }),
      socketPath: dir.file('s'),
      program: {
        nodePath: process.execPath,
        entry: options.entry ?? IDLE_BRIDGE,
        env: { ERRANDS: dir.file('errands'), ...options.env },
      },
      placeOf: () => ({
        read: () => this.estate,
        put: (text) => {
          this.estate = text
        },
      }),
    })
    this.gateway.changes.add(() => {
      for (const tell of observers) tell()
    })
    this.#server = this.#serve()
  }

  static async start(
    realm: Pick<RealmOfAlice, 'linkFile'>,
    node: string,
    options: NodeOptions = {},
  ): Promise<LinkedNode> {
    const made = new LinkedNode(realm, node, await createTempDir(), options)
    made.#server.listen({ path: made.socket })
    await once(made.#server, 'listening')
    await made.gateway.have([{ name: 'home', text: made.#text }])
    return made
  }

  get socket(): string {
    return this.#dir.file('s')
  }

  /** What bridges were given, in order. */
  errands(): readonly { readonly token: string; readonly socket: string; readonly link: LinkFile }[] {
    const text = readFileSync(this.#dir.file('errands'), { encoding: 'utf8', flag: 'a+' })
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }

  /** As the bridge asks. */
  async ask(path: string, options: RequestOptions = {}): Promise<Reply> {
    return request(this.socket, path, { token: await this.token(), ...options })
  }

  /** As somebody here asks. */
  anybody(path: string, options: RequestOptions = {}): Promise<Reply> {
    return request(this.socket, path, options)
  }

  bring(message: Message, more: Readonly<Record<string, unknown>> = {}): Promise<Reply> {
    const { body, ...head } = message
    return this.ask('/v1/link/records', {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${JSON.stringify({ ...head, ...more })}\n${body}`,
    })
  }

  async feed(query = ''): Promise<FeedReading> {
    const raw = await connectRaw(this.socket)
    raw.write(
      `GET /v1/link/feed${query} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${await this.token()}\r\n\r\n`,
    )
    const lines = (): readonly FeedLine[] =>
      raw
        .text()
        .split('\r\n\r\n')
        .slice(1)
        .join('\r\n\r\n')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    return {
      raw,
      lines,
      having: (member, count) =>
        raw.untilFound(() => {
          const found = lines().filter((line) => member in line)
          return found.length < count ? undefined : found
        }, `${count} lines with "${member}"`),
      [Symbol.dispose]: () => raw[Symbol.dispose](),
    }
  }

  /** The token of the bridge that was started last. */
  async token(): Promise<string> {
    for (;;) {
      const errand = this.errands().at(-1)
      if (errand !== undefined) return errand.token
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway.close()
    this.broker.close()
    this.#server.closeAllConnections()
    this.#server.close()
    await this.#dir[Symbol.asyncDispose]()
  }

  #serve(): Server {
    const { broker, clock } = this
    return createAgentdServer({
      broker,
      clock,
      log: silentLog,
      debug: undefined,
      facts: {
        version: '0.0.0',
        socketPath: this.socket,
        instanceId: 'x',
        startedAtMs: clock.nowMs(),
        checksPeers: false,
        details: () => [],
      },
      records: { logLine() {}, refused() {} },
      mcp: { reserve: () => Promise.reject(new Error('nobody serves tools here')) },
      memory: new MemoryBudget({ waitingBytes: 64 * 1024 * 1024 }),
      admission: new Admission({ maxConnections: 100, isOwner: () => true }),
      peerPidOf: () => undefined,
      hooks: () => Promise.reject(new Error('no hook comes here')),
      needs: () => Promise.reject(new Error('nobody asks what is needed here')),
      texts: {
        keep: () => Promise.reject(new Error('no text is kept here')),
        read: () => Promise.resolve(undefined),
      },
      links: {
        isLinked: true,
        linkOf: (token) => this.gateway.linkOf(token),
        list: () => this.gateway.list(),
        metrics: () => this.gateway.metrics(),
      },
      requiresToken: () => false,
      isPersonKey: () => false,
      stop: () => {},
      closing: new AbortController().signal,
      defer: setImmediate,
    })
  }
}
