/**
 * An accord between `~acme` and `~globex` on the hub of alice's, who is at `~globex`: what both have signed, the charters of both,
 * and a guest, bob's one machine at `~acme`, which exists on paper alone and says whatever the one who tries wishes.
 */
import { randomUUID } from 'node:crypto'
import { makeFrame } from '../frames.mjs'
import { loadParts } from './hub-parts.mjs'

export const HOST = '~globex'
export const GUESTS = '~acme'
export const GUEST = { handle: '~bob', node: 'box', org: GUESTS }
/** Under this the guest may broadcast to whoever is in the role of support at the host's. */
export const SUPPORT = 'accord:~globex/grant:support'
/** Under this the host may ask whoever is in the role of desk at the guest's, which bob is not. */
export const DESK = 'accord:~acme/grant:desk'

/** The rate of a grant is not what is tried here. */
const PER_MINUTE = 60_000
export const MAX_OCTETS = 1_024

const EPOCH = 'bad'
const END = '2999-01-01T00:00:00Z'

export class Agreement {
  parts
  realm
  /** An accord of another epoch has to be newer than this one. */
  epoch = 2
  #keys = new Map()
  #boxes = new Map()
  #guestUser
  #connection
  #hub
  #seq = 0

  static async sign() {
    const one = new Agreement()
    one.parts = await loadParts()
    const { accordRealm, accordToken, createNodeKey, transport } = one.parts
    for (const name of [HOST, GUESTS, '~bob', '~carol', '~mallory', '~initech'])
      one.#keys.set(name, one.newKey(name))
    for (const name of ['~bob', '~carol', '~mallory', 'other']) one.#boxes.set(name, createNodeKey())
    one.#guestUser = transport.nkeys.createUser()
    one.realm = accordRealm(accordToken('acme_globex'))
    return one
  }

  /** For the hub's configuration. @param nodes - of alice's */
  hubRealms(nodes) {
    const { grantToken } = this.parts
    const of = (names, from) => names.map((name) => ({ of: 'grant', grant: grantToken(name), from }))
    const hosts = nodes.map((one) => ({
      handle: '~alice',
      org: HOST,
      ...one,
      writes: of(['support', 'desk'], HOST),
      reads: of(['support', 'desk'], GUESTS),
    }))
    const nkeyPublic = this.#guestUser.getPublicKey()
    const guest = { ...GUEST, nkeyPublic, writes: of(['support'], GUESTS), reads: of(['support'], HOST) }
    return [{ realm: this.realm, nodes: [...hosts, guest] }]
  }

  /** What a machine of alice's keeps of the link to it. @param text - of her own link, as `Hub.linkText` gives it */
  linkText(text) {
    return JSON.stringify({ ...JSON.parse(text), realm: this.realm, handle: '~alice', org: HOST })
  }

  /** Everything that a machine has to have taken before it links, by the folder it is in. @param aliceKey - of her person */
  filesFor(aliceKey) {
    const keys = [HOST, GUESTS].map((org) => {
      const fields = this.keyOf(org).publicFields()
      return ['keys', `${fields.kid}.json`, JSON.stringify(fields)]
    })
    this.aliceKey = aliceKey
    return [
      ...keys,
      ['authority', 'accord.acme_globex.json', this.accord()],
      ['authority', 'charter.acme.json', this.charter(GUESTS)],
      ['authority', 'charter.globex.json', this.charter(HOST)],
    ]
  }

  newKey(handle) {
    const { createKey, readKey } = this.parts
    return readKey(createKey({ alg: 'ed25519', entities: [handle], nowMs: Date.now() }).text)
  }

  keyOf(name) {
    return this.#keys.get(name)
  }

  /** @param wish.signers - who signs it, each with the key that is pinned; both unless it says otherwise */
  accord({
    epoch = this.epoch,
    end = END,
    signers = [GUESTS, HOST],
    kinds = ['agent_broadcast'],
    parties,
  } = {}) {
    const { ACCORD, accordMembers, draftDocument, formatDocument, signDocument } = this.parts
    const [a, b] = parties ?? [GUESTS, HOST]
    const grants = [
      { grant: 'support', from: a, to: b, reach: ['role:support'], kinds },
      { grant: 'desk', from: b, to: a, reach: ['role:desk'], kinds: ['agent_query', 'agent_response'] },
    ].map((one) => ({ ...one, intents: ['ops.ticket.*'], perMinute: PER_MINUTE, maxOctets: MAX_OCTETS }))
    const named = [a, b].map((org) => ({ org, key: this.#publicOf(org) }))
    const draft = draftDocument(ACCORD, {
      ...accordMembers({ parties: named, grants }),
      authority_epoch: epoch,
      not_after: end,
    })
    return formatDocument(signers.reduce((text, org) => signDocument(text, org, this.keyOf(org)), draft))
  }

  /** @param wish.key - what signs it @param wish.more - members it names besides */
  charter(org, { epoch = 1, key = this.keyOf(org), more = [] } = {}) {
    const { CHARTER, charterMembers, draftDocument, formatDocument, signDocument } = this.parts
    const members =
      org === HOST
        ? [{ handle: '~alice', roles: ['support'], key: this.aliceKey, entities: ['agent.alice-*'] }]
        : [
            { handle: '~bob', roles: ['dev'], key: this.#publicOf('~bob'), entities: ['agent.bob-*'] },
            { handle: '~carol', roles: ['desk'], key: this.#publicOf('~carol') },
          ]
    const named = [...members, ...more.map((handle) => ({ handle, roles: [], key: this.#publicOf(handle) }))]
    const draft = { ...charterMembers({ org, members: named }), authority_epoch: epoch }
    return formatDocument(signDocument(draftDocument(CHARTER, draft), org, key))
  }

  /** The guest connects with everything a hub may do, and all who are members say whose machine is theirs. */
  async arrive(hub) {
    this.#hub = hub
    this.#connection = await hub.connectAsRoot()
    const { charterKey, documentKey } = this.parts
    await this.publish(documentKey(this.realm), this.accord())
    for (const org of [HOST, GUESTS]) await this.publish(charterKey(org), this.charter(org))
    for (const handle of ['~bob', '~carol']) await this.tell(handle)
  }

  /** What a machine says of itself. @param key - what signs the estate */
  async tell(handle, { key = this.keyOf(handle), epoch = 1, box = handle } = {}) {
    const { ESTATE, draftDocument, estateMembers, formatDocument, formatPresence } = this.parts
    const nodes = [{ node: GUEST.node, key: this.#boxes.get(box).publicX }]
    const members = { ...estateMembers({ principal: handle, nodes }), authority_epoch: epoch }
    const { kvSubject, nodeKey, signDocument } = this.parts
    const estate = formatDocument(signDocument(draftDocument(ESTATE, members), handle, key))
    const head = { sent_at: Date.now(), state: 'here', speaks: [1], sessions: [] }
    const text = formatPresence({ ...head, estate, charter: this.charter(GUESTS) })
    const subject = kvSubject(this.realm, nodeKey(this.realm, { ...GUEST, handle }))
    await this.put(subject, text, this.#sign(subject, text, box))
  }

  /** A document at its key in the bucket, as a hub hands one on. */
  publish(key, text) {
    return this.put(this.parts.kvSubject(this.realm, key), text, undefined)
  }

  lane(grant = 'support', at = {}) {
    const { grantToken, laneOf } = this.parts
    const who = { ...GUEST, ...at }
    return laneOf(this.realm, { audience: { of: 'grant', grant: grantToken(grant), from: who.org }, ...who })
  }

  /** A batch of one record that is as it ought to be. @param wish - how it is not */
  batch(text, { frame, scope = SUPPORT, sender, record, node = GUEST.node } = {}) {
    const { formatBatch, formatRecord } = this.parts
    this.#seq += 1
    const e = `${EPOCH}-${this.#seq}`
    const handle = GUEST.handle
    const made = makeFrame({
      text: `${text} ${this.#seq}`,
      handle,
      recipient_handle: handleOf(scope),
      ...frame,
    })
    const frameText = JSON.stringify(made)
    const line = record?.(e) ?? formatRecord({ t: 'frame', e, scope, sender, at: Date.now(), frameText })
    const head = { v: 1, node, epoch: EPOCH, prev: null, last: e, digest: `d${this.#seq}`, clean: true }
    return formatBatch({ ...head, reports: 0, sent_at: Date.now(), authority_epoch: 1 }, [line])
  }

  /** An answer to a question of the host's. */
  answer(text, queryId) {
    return {
      kind: 'agent_response',
      payload: {
        query_id: queryId,
        responder_session_id: 's1',
        response_text: text,
        responded_to_frame_id: randomUUID(),
        answer_attempt_idx: 1,
      },
    }
  }

  /** Puts a batch into a lane. @param by - `lane`, whose box `signs` it (null: nobody), over which `subject`, as which `kid` */
  async say(
    body,
    { lane = this.lane(), signs = '~bob', subject = lane, kid, signature, bend = (text) => text } = {},
  ) {
    const signed = signature ?? (signs === null ? undefined : this.#sign(subject, body, signs, kid))
    await this.put(lane, bend(body), signed)
  }

  async put(subject, body, signature) {
    const { HEADER_SIGNATURE, transport } = this.#hub.parts
    const headers = transport.headers()
    if (signature !== undefined) headers.set(HEADER_SIGNATURE, signature)
    const answer = await this.#connection.request(subject, body, { headers, timeout: 5_000 })
    if (answer.json().error !== undefined) throw new Error(`not taken: ${answer.string()}`)
  }

  /** What the host's machines tell theirs who sent something that was refused. @returns code → how often, which grows */
  overhearCodes() {
    const told = {}
    this.#connection.subscribe(this.parts.laneFilter(this.realm), {
      callback: (_error, message) => {
        const [, ...lines] = message.string().split('\n')
        const reports = lines
          .filter((line) => line.startsWith('{"t":"report"'))
          .map((line) => JSON.parse(line))
        for (const [, , state, , code] of reports.flatMap(({ items }) => items))
          if (state === 'refused') told[code] = (told[code] ?? 0) + 1
      },
    })
    return told
  }

  /** Works with the guest's own credential. */
  async asGuest(work) {
    const connection = await this.#hub.connectAs(this.#guestUser, this.parts.inboxPrefix(this.realm, GUEST))
    try {
      return await work(connection)
    } finally {
      await connection.close()
    }
  }

  async leave() {
    await this.#connection?.close()
  }

  #publicOf(name) {
    return this.keyOf(name).publicFields().public
  }

  #sign(subject, text, box, kid = GUEST.node) {
    const { readNodeKey, signBatch } = this.parts
    return signBatch(readNodeKey(this.#boxes.get(box).seed).key, kid, subject, text)
  }
}

/** Whom a scope is for, as its frame names them: `accord:~globex/grant:support` is for `~globex`. */
function handleOf(scope) {
  return /~[a-z]+/.exec(scope)[0]
}
