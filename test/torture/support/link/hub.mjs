/**
 * A hub as `agentd link hub` makes one: a real nats-server with TLS and NKEYs, whose disk can be copied, lost and put back,
 * and the machines of one person that it lets in.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { ownProcess } from '../cleanup.mjs'
import { isApart } from '../namespaces.mjs'
import { createTempDir } from '../temp-dir.mjs'
import { within } from '../waiting.mjs'
import { freePort, loadParts, pathOfThen } from './hub-parts.mjs'

export const REALM = 'p.alice'
export const PRINCIPAL = '~alice'

/** A server that is not ready by then has failed, in milliseconds. */
const READY_MS = 15_000

/** What the engine says to a stream that is there with other settings. */
const NAME_IN_USE = 10058

export class Hub {
  /** Everything that `dist` and the client of NATS export. */
  parts
  port
  nodes = new Map()
  #dir = createTempDir()
  #wish
  #admin
  /** May do everything with the lanes: what a hub could that means ill. */
  #root
  #personKey
  #certificate
  #child
  #epoch = 0
  #copies = 0

  /**
   * @param wish.nodes - who is invited
   * @param wish.maxPayload - octets
   * @param wish.stream - members of the lanes' stream that are to be others, such as `max_msgs`
   * @param wish.bucket - of the bucket's
   * @param wish.storeDir - where its disk is
   * @param wish.backdated - it was made three days ago
   * @param wish.organisation - one whose realm is here as well
   * @param wish.withoutJetStream - a server that only passes on
   */
  static async start(wish = {}) {
    const hub = new Hub()
    hub.#wish = wish
    hub.parts = await loadParts()
    const { createCertificate, createKey, readKey, transport } = hub.parts
    hub.#admin = transport.nkeys.createUser()
    hub.#root = transport.nkeys.createUser()
    hub.#personKey = readKey(createKey({ alg: 'ed25519', entities: [PRINCIPAL], nowMs: Date.now() }).text)
    hub.#certificate = createCertificate(
      hub.parts.HUB_SERVER_NAME,
      hub.#wish.backdated === true ? pathOfThen(hub.#dir.file('bin')) : process.env.PATH,
    )
    writeFileSync(hub.#dir.file('cert.pem'), hub.#certificate.certificate)
    writeFileSync(hub.#dir.file('key.pem'), hub.#certificate.key, { mode: 0o600 })
    hub.port = await freePort()
    for (const node of wish.nodes ?? ['laptop', 'devbox']) hub.#invite(node)
    await hub.run()
    if (wish.withoutJetStream !== true) await hub.makeStreams()
    return hub
  }

  /** Starts the server over its disk as it is. */
  async run() {
    this.#writeConf()
    const child = spawn('nats-server', ['-c', this.#dir.file('hub.conf')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    ownProcess(child)
    this.#child = child
    let said = ''
    const ready = new Promise((done, failed) => {
      child.stderr.setEncoding('utf8').on('data', (text) => {
        said = `${said}${text}`.slice(-4_000)
        if (said.includes('Server is ready')) done(true)
      })
      child.once('exit', () => failed(new Error(`the hub ended: ${said}`)))
    })
    if ((await within(ready, READY_MS)) !== true) throw new Error(`the hub is not ready: ${said}`)
  }

  /** `kill -9`, and waits until it is gone. */
  async kill() {
    const child = this.#child
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  get pid() {
    return this.#child.pid
  }

  async makeStreams() {
    const { bucketConfig, streamConfig } = this.parts
    await this.#asUser(this.#admin, async (connection) => {
      const { stream, bucket, organisation } = this.#wish
      const other = organisation?.realm
      for (const config of [
        { ...streamConfig(REALM), ...stream },
        { ...bucketConfig(REALM), ...bucket },
        ...(other === undefined ? [] : [streamConfig(other), bucketConfig(other)]),
      ]) {
        const answer = await connection.request(
          `$JS.API.STREAM.CREATE.${config.name}`,
          JSON.stringify(config),
        )
        const { error } = answer.json()
        // It may be there, and then with these very settings or with those of its own first start.
        if (error !== undefined && error.err_code !== NAME_IN_USE)
          throw new Error(`no stream ${config.name}: ${error.description}`)
      }
    })
    await this.publishEstate()
  }

  /** Says anew whose machines there are, one epoch later. @returns the estate's text */
  async publishEstate() {
    this.#epoch += 1
    const text = this.estateText(this.#epoch)
    const { documentKey, kvSubject } = this.parts
    await this.#asUser(this.#admin, (connection) =>
      connection.request(kvSubject(REALM, documentKey(REALM)), text),
    )
    return text
  }

  /** Takes a machine back (FED-43). */
  async revoke(node) {
    this.nodes.delete(node)
    this.#writeConf()
    await this.publishEstate()
    this.#child.kill('SIGHUP')
  }

  /** A copy of its disk, while it goes on. @returns where */
  copyDisk() {
    this.#copies += 1
    const copy = this.#dir.file(`copy-${this.#copies}`)
    cpSync(this.#store, copy, { recursive: true })
    return copy
  }

  /** Puts a copy in the place of its disk, or nothing at all; the server has to be down. */
  replaceDisk(copy) {
    rmSync(this.#store, { recursive: true, force: true })
    if (copy !== undefined) cpSync(copy, this.#store, { recursive: true })
  }

  /** What a machine keeps of its link, as text. @param way - to the hub, where that is not loopback */
  linkText(node, { host = '127.0.0.1', port = this.port } = {}) {
    const { seed, nodeKey } = this.nodes.get(node)
    return JSON.stringify({
      type: 'agentd.link',
      v: 1,
      realm: REALM,
      node,
      urls: [`nats://${host}:${port}`],
      ca: this.#certificate.authority,
      domain: null,
      trust_network: false,
      credential: { nkey: seed },
      node_key: nodeKey.seed,
      estate_key: this.personKey,
      estate: this.estateText(Math.max(1, this.#epoch)),
      since_ms: 0,
      added_at_ms: Date.now(),
    })
  }

  /** The public half of the person's key. */
  get personKey() {
    return this.#personKey.publicFields().public
  }

  estateText(epoch) {
    const { ESTATE, draftDocument, estateMembers, formatDocument, signDocument } = this.parts
    const nodes = [...this.nodes].map(([node, { nodeKey }]) => ({ node, key: nodeKey.publicX }))
    const members = { ...estateMembers({ principal: PRINCIPAL, nodes }), authority_epoch: epoch }
    return formatDocument(signDocument(draftDocument(ESTATE, members), PRINCIPAL, this.#personKey))
  }

  /** Works as one who may do everything with every lane: a hub that means ill, or is broken. */
  asRoot(work) {
    return this.#asUser(this.#root, work)
  }

  /** Works with a machine's own credential. */
  asNode(node, work) {
    return this.#asUser(this.nodes.get(node).user, work, `_INBOX_${node}`)
  }

  /** @returns the connection, which the caller closes */
  connectAs(user, inboxPrefix) {
    const { HUB_SERVER_NAME, transport } = this.parts
    return transport.connect({
      servers: `nats://127.0.0.1:${this.port}`,
      authenticator: transport.nkeyAuthenticator(user.getSeed()),
      ...(inboxPrefix !== undefined && { inboxPrefix }),
      reconnect: false,
      tls: { ca: this.#certificate.authority, servername: HUB_SERVER_NAME },
    })
  }

  connectAsRoot() {
    return this.connectAs(this.#root)
  }

  async stop() {
    await this.kill()
    this.#dir.remove()
  }

  /** Its disk is another one from the next start on. */
  moveTo(storeDir) {
    this.#wish = { ...this.#wish, storeDir }
  }

  get #store() {
    return this.#wish.storeDir ?? this.#dir.file('store')
  }

  async #asUser(user, work, inboxPrefix) {
    const connection = await this.connectAs(user, inboxPrefix)
    try {
      return await work(connection)
    } finally {
      await connection.close()
    }
  }

  #invite(node) {
    const { createNodeKey, transport } = this.parts
    const user = transport.nkeys.createUser()
    this.nodes.set(node, { user, seed: Buffer.from(user.getSeed()).toString(), nodeKey: createNodeKey() })
  }

  #writeConf() {
    const { HUB_MAX_PAYLOAD, natsConf, ownHubRealm } = this.parts
    const nodes = [...this.nodes].map(([node, { user }]) => ({ node, nkeyPublic: user.getPublicKey() }))
    const text = natsConf({
      realms: [ownHubRealm(REALM, nodes), ...(this.#wish.organisation?.hubRealms(nodes) ?? [])],
      adminNkey: this.#admin.getPublicKey(),
      // Whoever is in this network besides was made by this run.
      listen: `${isApart ? '0.0.0.0' : '127.0.0.1'}:${this.port}`,
      name: 'torture',
      storeDir: this.#store,
      tls: { certPath: this.#dir.file('cert.pem'), keyPath: this.#dir.file('key.pem') },
    })
    const { maxPayload = HUB_MAX_PAYLOAD, withoutJetStream } = this.#wish
    const sized = text.replace(`max_payload: ${HUB_MAX_PAYLOAD}`, `max_payload: ${maxPayload}`)
    const rooted = sized.replace(/users: \[\n/, `users: [\n      { nkey: "${this.#root.getPublicKey()}" }\n`)
    const kept = withoutJetStream === true ? rooted.replaceAll(/^\s*jetstream:.*$/gm, '') : rooted
    writeFileSync(this.#dir.file('hub.conf'), kept)
  }
}
