/**
 * An organisation of `~alice` and `~bob` on the hub of alice's: its charter, and bob's one machine, which exists on paper alone and
 * says in bob's name what the one who tries wishes.
 */
import { makeFrame } from '../frames.mjs'
import { loadParts } from './hub-parts.mjs'

const ORG = '~acme'
const STRANGER = { handle: '~bob', node: 'box' }
const EPOCH = 'b0b'

export class Organisation {
  realm = 'o.acme'
  parts
  #orgKey
  #key
  #box
  #connection
  #hub
  #seq = 0

  static async found() {
    const one = new Organisation()
    one.parts = await loadParts()
    const { createKey, createNodeKey, readKey } = one.parts
    const keyFor = (handle) =>
      readKey(createKey({ alg: 'ed25519', entities: [handle], nowMs: Date.now() }).text)
    one.#orgKey = keyFor(ORG)
    one.#key = keyFor(STRANGER.handle)
    one.#box = createNodeKey()
    return one
  }

  /** For the hub's configuration: alice's machines read and write as members do. @param nodes - of alice's */
  hubRealms(nodes) {
    const access = {
      writes: [{ of: 'all' }],
      reads: [{ of: 'all' }, { of: 'role', role: 'dev' }, { of: 'member', handle: '~alice' }],
    }
    return [{ realm: this.realm, nodes: nodes.map((one) => ({ handle: '~alice', ...one, ...access })) }]
  }

  /** What a machine of alice's keeps of the link to it. @param text - of her own link, as `Hub.linkText` gives it */
  linkText(text) {
    return JSON.stringify({
      ...JSON.parse(text),
      realm: this.realm,
      handle: '~alice',
      org_key: this.#orgKey.publicFields().public,
      charter: this.#charter(JSON.parse(text).estate_key),
    })
  }

  /** The public half of its key, as a machine has it that trusts it: the name of a file, and the text. */
  get trustedKey() {
    const fields = this.#orgKey.publicFields()
    return { name: `${fields.kid}.json`, text: JSON.stringify(fields) }
  }

  /** Bob's machine connects, and says whose it is. */
  async arrive(hub) {
    this.#hub = hub
    this.#connection = await hub.connectAsRoot()
    const { documentKey, kvSubject } = this.parts
    await this.#put(kvSubject(this.realm, documentKey(this.realm)), this.#charter(hub.personKey), undefined)
    await this.tell()
  }

  /** That it is there, with the estate that names it. */
  async tell() {
    const { ESTATE, draftDocument, estateMembers, formatDocument, formatPresence, kvSubject, nodeKey } =
      this.parts
    const nodes = [{ node: STRANGER.node, key: this.#box.publicX }]
    const members = { ...estateMembers({ principal: STRANGER.handle, nodes }), authority_epoch: 1 }
    const estate = formatDocument(
      this.parts.signDocument(draftDocument(ESTATE, members), STRANGER.handle, this.#key),
    )
    const text = formatPresence({ sent_at: Date.now(), state: 'here', speaks: [1], sessions: [], estate })
    const subject = kvSubject(this.realm, nodeKey(this.realm, STRANGER))
    await this.#put(subject, text, this.#sign(subject, text))
  }

  /** One batch of so many broadcasts to everybody. @returns when the engine has it */
  async say(count, word) {
    const { formatBatch, formatRecord, laneOf } = this.parts
    const before = this.#seq
    const lines = Array.from({ length: count }, () => {
      this.#seq += 1
      return formatRecord({
        t: 'frame',
        e: `${EPOCH}-${this.#seq}`,
        scope: `org:${ORG}/members/*`,
        sender: undefined,
        at: Date.now(),
        frameText: JSON.stringify(
          makeFrame({ text: `${word} ${this.#seq}`, handle: STRANGER.handle, recipient_handle: ORG }),
        ),
      })
    })
    const head = {
      v: 1,
      node: STRANGER.node,
      epoch: EPOCH,
      prev: before === 0 ? null : `${EPOCH}-${before}`,
      last: `${EPOCH}-${this.#seq}`,
      digest: `d${this.#seq}`,
      clean: before === 0,
      reports: 0,
      sent_at: Date.now(),
      authority_epoch: 1,
    }
    const subject = laneOf(this.realm, { audience: { of: 'all' }, ...STRANGER })
    const body = formatBatch(head, lines)
    await this.#put(subject, body, this.#sign(subject, body))
  }

  async leave() {
    await this.#connection?.close()
  }

  #charter(aliceKey) {
    const { CHARTER, charterMembers, draftDocument, formatDocument, signDocument } = this.parts
    const members = [
      { handle: '~alice', roles: ['dev'], key: aliceKey },
      { handle: STRANGER.handle, roles: ['dev'], key: this.#key.publicFields().public },
    ]
    const drafted = draftDocument(CHARTER, { ...charterMembers({ org: ORG, members }), authority_epoch: 1 })
    return formatDocument(signDocument(drafted, ORG, this.#orgKey))
  }

  #sign(subject, text) {
    const { readNodeKey, signBatch } = this.parts
    return signBatch(readNodeKey(this.#box.seed).key, STRANGER.node, subject, text)
  }

  async #put(subject, body, signature) {
    const { HEADER_SIGNATURE, transport } = this.#hub.parts
    const headers = transport.headers()
    if (signature !== undefined) headers.set(HEADER_SIGNATURE, signature)
    const answer = await this.#connection.request(subject, body, { headers, timeout: 5_000 })
    if (answer.json().error !== undefined) throw new Error(`not taken: ${answer.string()}`)
  }
}
