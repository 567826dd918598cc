/**
 * A hub for tests: a real `nats-server` with TLS and NKEYs on a port of loopback, whose disk can be copied, lost and put
 * back, and which can be killed at any moment; and the nodes of one person that may use it.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream'
import { connect, headers, nkeyAuthenticator, nkeys, type NatsConnection } from '@nats-io/transport-node'
import { createKey } from '../../src/aee/keys/new-key.ts'
import { readKey, type Key } from '../../src/aee/keys/key.ts'
import { draftDocument, formatDocument } from '../../src/authority/document.ts'
import { withSeal, type EstateSeal } from '../../src/authority/estate-seals.ts'
import { ESTATE, estateMembers } from '../../src/authority/estate.ts'
import { signDocument } from '../../src/authority/signing.ts'
import { createCertificate, type HubCertificate } from '../../src/host/links/certificate.ts'
import { HEADER_SIGNATURE } from '../../src/link/batch.ts'
import { HUB_MAX_PAYLOAD, HUB_SERVER_NAME, natsConf, ownHubRealm } from '../../src/link/hub-config.ts'
import { bucketConfig, streamConfig } from '../../src/link/hub-streams.ts'
import { createNodeKey, readNodeKey } from '../../src/link/keys/node-key.ts'
import type { LinkFile } from '../../src/link/link-file.ts'
import { wrapNewKey } from '../../src/link/sealing/realm-key.ts'
import { documentKey, inboxPrefix, kvSubject, ownLane, streamName } from '../../src/link/realm.ts'
import { portOf } from './cut-proxy.ts'
import { createTempDir, type TempDir } from './temp-dir.ts'
import { within } from './within.ts'

/** Whose machines they are, and their realm. */
export const PRINCIPAL = '~alice'
export const REALM = 'p.alice'

/** How a hub is to be; absent, as `agentd link hub init` makes one. */
export interface HubWish {
  readonly nodes?: readonly string[]
  readonly maxPayload?: number
  readonly withoutJetStream?: boolean
  readonly withoutTls?: boolean
  readonly withoutStreams?: boolean
  /** A subject that nobody may publish to: a lane, or what reads it. */
  readonly without?: string
  /** Its estates hold no keys to seal with, as one that an older agentd has signed. */
  readonly withoutSeals?: boolean
}

/** A node that was invited: its two keys. */
interface Invited {
  readonly seed: string
  readonly nkeyPublic: string
  readonly nodeKey: ReturnType<typeof createNodeKey>
}

/** Made once for all hubs of a file: it takes longer than everything else here. */
let certificate: HubCertificate | undefined

export class TestHub implements AsyncDisposable {
  readonly port: number
  readonly #dir: TempDir
  #wish: HubWish
  readonly #nodes = new Map<string, Invited>()
  readonly #admin = nkeys.createUser()
  readonly #personKey: Key
  readonly #certificate: HubCertificate
  #process: ChildProcess | undefined
  #epoch = 0
  #seals: readonly EstateSeal[] = []
  /** Places where the disk was copied to. */
  #copies = 0

  private constructor(dir: TempDir, port: number, wish: HubWish) {
    this.#dir = dir
    this.port = port
    this.#wish = wish
    this.#personKey = readKey(createKey({ alg: 'ed25519', entities: [PRINCIPAL], nowMs: Date.now() }).text)
    this.#certificate = certificate ??= createCertificate(HUB_SERVER_NAME, process.env['PATH'])
    for (const node of wish.nodes ?? ['laptop', 'devbox']) this.#nodes.set(node, invite())
  }

  /** Starts one, with its streams and its estate. */
  static async start(wish: HubWish = {}): Promise<TestHub> {
    const hub = new TestHub(await createTempDir(), await freePort(), wish)
    writeFileSync(hub.#dir.file('cert.pem'), hub.#certificate.certificate)
    writeFileSync(hub.#dir.file('key.pem'), hub.#certificate.key, { mode: 0o600 })
    await hub.run()
    const hasNone = wish.withoutJetStream ?? wish.withoutTls ?? wish.withoutStreams ?? false
    if (!hasNone) await hub.makeStreams()
    return hub
  }

  /** Who is invited. */
  get nodes(): readonly string[] {
    return [...this.#nodes.keys()]
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`
  }

  /** The process id of the server. */
  get pid(): number {
    return this.#process?.pid ?? -1
  }

  /** Starts the server again, over the disk as it is. */
  async run(): Promise<void> {
    this.#writeConf()
    const child = spawn('nats-server', ['-c', this.#dir.file('hub.conf')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#process = child
    let said = ''
    const ready = new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (chunk: Buffer) => {
        said = `${said}${chunk.toString()}`.slice(-4_000)
        if (said.includes('Server is ready')) resolve()
      })
      child.on('error', reject)
      child.on('exit', () => reject(new Error(`the hub ended: ${said}`)))
    })
    await within(ready, 'the hub to be ready')
  }

  /** `kill -9`, and waits until it is gone. */
  async kill(): Promise<void> {
    const child = this.#process
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  /** The streams as `agentd link hub` makes them, and the estate of everybody who was invited. */
  async makeStreams(): Promise<void> {
    await this.withAdmin(async (connection) => {
      for (const config of [streamConfig(REALM), bucketConfig(REALM)])
        await connection.request(`$JS.API.STREAM.CREATE.${config.name}`, JSON.stringify(config))
    })
    await this.publishEstate()
  }

  /** Says anew who is invited, one epoch later. */
  async publishEstate(): Promise<void> {
    const text = this.#nextEstate()
    await this.withAdmin(async (connection) => {
      await connection.request(kvSubject(REALM, documentKey(REALM)), text)
    })
  }

  /** Takes a node back: the estate names it no more, and the server, told to look again, cuts it (FED-43). */
  async revoke(node: string): Promise<void> {
    this.#nodes.delete(node)
    // As the command does it: told first, then cut. Whoever enters while the server reads its configuration may be refused.
    if (this.#nodes.size > 0) await this.publishEstate()
    this.#writeConf()
    this.#process?.kill('SIGHUP')
  }

  /** How it is to be from now on. */
  wish(changes: HubWish): void {
    this.#wish = { ...this.#wish, ...changes }
  }

  /** Every octet on its disk. */
  octets(): Buffer {
    const store = this.#dir.file('store')
    const files = readdirSync(store, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    return Buffer.concat(files.map(({ parentPath, name }) => readFileSync(join(parentPath, name))))
  }

  /** A copy of its disk; the server goes on meanwhile, as it would under a backup of the machine. */
  copyDisk(): string {
    this.#copies += 1
    const copy = this.#dir.file(`copy-${this.#copies}`)
    cpSync(this.#dir.file('store'), copy, { recursive: true })
    return copy
  }

  /** What was written last of each file of messages is zeros, as after a loss of power; the server has to be down. */
  damageDisk(): void {
    const store = this.#dir.file('store')
    const blocks = readdirSync(store, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.blk'),
    )
    for (const path of blocks.map((name) => join(store, name))) {
      const octets = readFileSync(path)
      writeFileSync(path, octets.fill(0, Math.floor(octets.length / 2)))
    }
  }

  /** Puts a copy in the place of its disk, or nothing at all; the server has to be down. */
  replaceDisk(copy?: string): void {
    const store = this.#dir.file('store')
    rmSync(store, { recursive: true, force: true })
    if (copy !== undefined) cpSync(copy, store, { recursive: true })
  }

  /** What a node keeps of its link. @param port - another way to the hub */
  linkOf(node: string, port = this.port): LinkFile {
    const invited = this.#invited(node)
    return {
      type: 'agentd.link',
      v: 1,
      realm: REALM,
      node,
      urls: [`nats://127.0.0.1:${port}`],
      ca: this.#certificate.authority,
      domain: null,
      trust_network: false,
      credential: { nkey: invited.seed },
      node_key: invited.nodeKey.seed,
      estate_key: this.#personKey.publicFields()?.public ?? '',
      estate: this.#estateText(Math.max(1, this.#epoch)),
      since_ms: 0,
      added_at_ms: Date.now(),
    }
  }

  /** The public half of the key that a node signs with. */
  publicKeyOf(node: string): string {
    return readNodeKey(this.linkOf(node).node_key).publicX
  }

  /** As the one who made the streams, who may do everything with them. */
  async withAdmin<T>(
    work: (connection: NatsConnection, manager: JetStreamManager) => Promise<T>,
  ): Promise<T> {
    const connection = await this.connectWith(this.#admin.getSeed())
    try {
      return await work(connection, await jetstreamManager(connection, { checkAPI: false }))
    } finally {
      await connection.close()
    }
  }

  /** The last message of a node's lane once more, by the node's own credential: what a lost answer looks like. */
  async repeatLast(node: string): Promise<void> {
    const lane = ownLane(REALM, node)
    const connection = await this.connectWith(
      Buffer.from(this.#invited(node).seed),
      inboxPrefix(REALM, { handle: PRINCIPAL, node }),
    )
    try {
      const stream = streamName(REALM)
      const last = await connection.request(`$JS.API.DIRECT.GET.${stream}.${lane}`)
      const header = headers()
      header.set(HEADER_SIGNATURE, last.headers?.get(HEADER_SIGNATURE) ?? '')
      await connection.request(lane, last.data, { timeout: 5_000, headers: header })
    } finally {
      await connection.close()
    }
  }

  /** How many messages a reader of the lanes has been given that has not been given all. */
  delivered(): Promise<number> {
    return this.withAdmin(async (_connection, manager) => {
      let most = 0
      for await (const { delivered, num_pending: left } of manager.consumers.list(streamName(REALM)))
        if (left > 0) most = Math.max(most, delivered.consumer_seq)
      return most
    })
  }

  /** A connection with somebody's credential. */
  connectWith(seed: Uint8Array, inboxPrefix = '_INBOX'): Promise<NatsConnection> {
    return connect({
      servers: this.url,
      authenticator: nkeyAuthenticator(seed),
      inboxPrefix,
      reconnect: false,
      tls: pinned(this.#certificate),
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    await this.#dir[Symbol.asyncDispose]()
  }

  #invited(node: string): Invited {
    const invited = this.#nodes.get(node)
    if (invited === undefined) throw new Error(`${node} was not invited`)
    return invited
  }

  #nextEstate(): string {
    this.#epoch += 1
    return this.#estateText(this.#epoch)
  }

  #estateText(epoch: number): string {
    const nodes = [...this.#nodes].map(([node, { nodeKey }]) => ({ node, key: nodeKey.publicX }))
    if (this.#wish.withoutSeals !== true && this.#seals.at(-1)?.epoch !== epoch)
      this.#seals = withSeal(this.#seals, wrapNewKey({ principal: PRINCIPAL, epoch }, nodes))
    const members = estateMembers({ principal: PRINCIPAL, nodes, seals: this.#seals })
    const draft = { ...members, authority_epoch: epoch }
    return formatDocument(signDocument(draftDocument(ESTATE, draft), PRINCIPAL, this.#personKey))
  }

  #writeConf(): void {
    const nodes = [...this.#nodes].map(([node, { nkeyPublic }]) => ({ node, nkeyPublic }))
    const conf = natsConf({
      realms: [ownHubRealm(REALM, nodes)],
      adminNkey: this.#admin.getPublicKey(),
      listen: `127.0.0.1:${this.port}`,
      name: 'test',
      storeDir: this.#dir.file('store'),
      tls: { certPath: this.#dir.file('cert.pem'), keyPath: this.#dir.file('key.pem') },
    })
    writeFileSync(this.#dir.file('hub.conf'), this.#bent(conf))
  }

  /** A hub of somebody's who has set it up another way. */
  #bent(conf: string): string {
    const { maxPayload = HUB_MAX_PAYLOAD, without = '', withoutJetStream, withoutTls } = this.#wish
    const sized = conf.replace(`max_payload: ${HUB_MAX_PAYLOAD}`, `max_payload: ${maxPayload}`)
    const barred = sized.replaceAll(`"${without}", `, '')
    const open = withoutTls === true ? barred.replaceAll(/^tls:.*$/gm, '') : barred
    return withoutJetStream === true ? open.replaceAll(/^\s*jetstream:.*$/gm, '') : open
  }
}

/** The client's types know no name of a server. */
function pinned({ authority }: HubCertificate): { readonly ca: string; readonly servername: string } {
  return { ca: authority, servername: HUB_SERVER_NAME }
}

function invite(): Invited {
  const user = nkeys.createUser()
  return {
    seed: Buffer.from(user.getSeed()).toString(),
    nkeyPublic: user.getPublicKey(),
    nodeKey: createNodeKey(),
  }
}

/** Nothing else takes it between now and the start of the server, or the start fails and says so. */
async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  server.close()
  await once(server, 'close')
  return port
}
