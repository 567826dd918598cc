/**
 * A guest under an accord that means ill, and a hub that helps it: forged signatures, names, documents and accords, what no grant
 * names, answers of who was not asked, and an accord that has run out. Nothing of it is taken, and what is granted comes all the
 * same (FT-12, FED-13, FED-41, FED-57, FED-58).
 */
import { randomUUID } from 'node:crypto'
import { DESK, GUEST, GUESTS, HOST, MAX_OCTETS, Agreement } from '../support/link/accord.mjs'
import { FORGED, GENUINE, flip } from '../support/link/forgery.mjs'
import { Hub } from '../support/link/hub.mjs'
import { whatIsMissing } from '../support/link/hub-parts.mjs'
import { LinkedNode } from '../support/link/node.mjs'
import { Speaker } from '../support/link/speakers.mjs'
import { openReader } from '../support/reader.mjs'
import { sleep, waitFor } from '../support/waiting.mjs'

/** Attempts in a short round and in a long one; a true word comes after each so many of them. */
const MIN_TRIES = 200
const LONG_TRIES = 1_200
const EACH_TRUE = 25

/** Attempts after the accord has run out. */
const AFTERWARDS = 20

/** How long all of it may take to be judged, in milliseconds. */
const JUDGED_MS = 60_000

/** How long an accord that is about to end holds still, in milliseconds. */
const LAST_MS = 2_000

export default {
  name: 'link-guests',
  promise: 'FED-13, FED-41, FED-57, FED-58',
  summary: 'a guest under an accord and its hub mean ill: nothing that is forged or not granted is taken',
  async run({ minutes, random, hasTime }) {
    const missing = whatIsMissing()
    if (missing !== undefined) return missing
    const agreement = await Agreement.sign()
    const hub = await Hub.start({ nodes: ['laptop'], organisation: agreement })
    const node = new LinkedNode('laptop', { linkText: agreement.linkText(hub.linkText('laptop')) })
    node.take(agreement.filesFor(hub.personKey))
    await node.start()
    const local = new Speaker(node, 1, { pauseMs: 20, window: 1 })
    const words = []
    const reader = openReader(node.socket, { keep: false, onEvent: ({ data = '' }) => words.push(data) })
    try {
      await node.become('up')
      await agreement.arrive(hub)
      await waitFor(async () => (await node.link()).nodes.length > 0, JUDGED_MS, 20)
      await local.start()
      const told = agreement.overhearCodes()
      const scene = { agreement, node, random, words, told }
      const atTheServer = await tryTheServer(scene)
      const documents = await forgeDocuments(scene)
      const forged = await forge(scene, { hasTime, least: minutes >= 1 ? LONG_TRIES : MIN_TRIES })
      const late = await outlive(scene)
      await local.stop()
      return await judge({ ...scene, local, atTheServer, documents, forged, late })
    } finally {
      reader.close()
      await agreement.leave()
      await node.stop()
      await hub.stop()
    }
  },
}

async function judge({ node, words, told, local, atTheServer, documents, forged, late }) {
  const came = (word) => words.filter((data) => data.includes(word)).length
  const health = await node.ask('/v1/health')
  const lost = [...local.acked.values()].filter((id) => typeof id !== 'string').length
  return {
    tries_at_the_server: atTheServer.tries,
    let_through_by_the_server: atTheServer.accepted.join(', ') || 'none',
    forged_documents: documents.tries,
    documents_believed: documents.believed,
    tried: forged.tries,
    ways: forged.ways,
    refused: forged.refused,
    tried_when_it_was_over: late.tries,
    taken: came(FORGED),
    granted_said: forged.genuine,
    granted_that_came: came(GENUINE),
    codes_told: Object.entries(told)
      .map(([code, count]) => `${code} ${count}`)
      .join(', '),
    local_said: local.acked.size,
    local_refused: local.refused.length,
    holds:
      health.status === 200 &&
      atTheServer.accepted.length === 0 &&
      documents.believed === 0 &&
      came(FORGED) === 0 &&
      forged.refused === forged.tries &&
      Object.keys(told).length > 1 &&
      late.isOver &&
      came(GENUINE) === forged.genuine &&
      local.acked.size > 0 &&
      local.refused.length === 0 &&
      lost === 0,
  }
}

/** What the guest's own credential may not do. @returns the names of those that it could */
async function tryTheServer({ agreement }) {
  const { realm } = agreement
  const { bucketStream, charterKey, documentKey, kvSubject, nodeKey, streamName } = agreement.parts
  const [stream, bucket] = [streamName(realm), bucketStream(realm)]
  const other = agreement.lane('support', { org: HOST, handle: '~alice', node: 'laptop' })
  const read = (filter) => [
    `$JS.API.CONSUMER.CREATE.${stream}.mine.${filter}`,
    JSON.stringify({
      stream_name: stream,
      config: { name: 'mine', filter_subject: filter, ack_policy: 'none' },
    }),
  ]
  const asks = [
    [other, 'x'],
    [agreement.lane('desk'), 'x'],
    [agreement.lane('support', { handle: '~carol' }), 'x'],
    [agreement.lane('support', { node: 'other' }), 'x'],
    ['agentd.v1.p.alice.f.laptop', 'x'],
    [kvSubject(realm, documentKey(realm)), 'x'],
    [kvSubject(realm, charterKey(GUESTS)), 'x'],
    [kvSubject(realm, nodeKey(realm, { org: HOST, handle: '~alice', node: 'laptop' })), 'x'],
    [kvSubject(realm, nodeKey(realm, { ...GUEST, handle: '~carol' })), 'x'],
    ['$KV.agentd_P_alice.estate', 'x'],
    [`$JS.API.STREAM.DELETE.${stream}`, ''],
    [`$JS.API.STREAM.PURGE.${stream}`, ''],
    [`$JS.API.STREAM.UPDATE.${stream}`, '{}'],
    [`$JS.API.STREAM.MSG.GET.${stream}`, '{"seq":1}'],
    [`$JS.API.STREAM.MSG.DELETE.${stream}`, '{"seq":1}'],
    [`$JS.API.STREAM.DELETE.${bucket}`, ''],
    ['$JS.API.STREAM.LIST', ''],
    [`$JS.API.STREAM.INFO.AGENTD_P_alice`, ''],
    [`$JS.API.CONSUMER.LIST.${stream}`, ''],
    [`$JS.API.CONSUMER.CREATE.${stream}`, JSON.stringify({ stream_name: stream, config: {} })],
    [`$JS.API.DIRECT.GET.${stream}.${other}`, ''],
    read(agreement.lane('desk', { org: HOST, handle: '~alice', node: 'laptop' })),
    read(agreement.lane()),
    read('agentd.v1.p.alice.f.>'),
  ]
  const accepted = []
  await agreement.asGuest(async (connection) => {
    for (const [subject, body] of asks) {
      const answer = await connection.request(subject, body, { timeout: 300 }).catch(() => undefined)
      if (answer !== undefined && answer.json?.()?.error === undefined) accepted.push(subject)
    }
  })
  return { tries: asks.length, accepted }
}

/** Accords, charters and estates that are nobody's word, handed on by a hub: who may what stays as it was. */
async function forgeDocuments({ agreement, node }) {
  const { charterKey, documentKey } = agreement.parts
  const before = (await node.link()).authority_epoch
  const at = documentKey(agreement.realm)
  const next = { epoch: agreement.epoch + 7, kinds: ['agent_advisory'] }
  const both = JSON.parse(agreement.accord(next))
  const [ofGuests, ofHost] = both.sigs
  const accords = [
    // One side alone; one in the place of both; each in the other's name; by a third one's key; with a word changed.
    agreement.accord({ ...next, signers: [GUESTS] }),
    JSON.stringify({ ...both, sigs: [ofGuests, { ...ofGuests, by: HOST }] }),
    JSON.stringify({
      ...both,
      sigs: [
        { ...ofHost, by: GUESTS },
        { ...ofGuests, by: HOST },
      ],
    }),
    JSON.stringify({ ...both, sigs: [ofGuests, { ...ofHost, kid: agreement.keyOf('~initech').kid }] }),
    JSON.stringify({ ...both, not_after: '2998-01-01T00:00:00Z' }),
    // Both have signed them: one that is over, an older one, one of others.
    agreement.accord({ ...next, end: '2020-01-01T00:00:00Z' }),
    agreement.accord({ ...next, epoch: agreement.epoch - 1 }),
    agreement.accord({ ...next, parties: [GUESTS, '~initech'], signers: [GUESTS, '~initech'] }),
    'no accord at all',
  ]
  for (const text of accords) await agreement.publish(at, text)
  const charters = [
    [GUESTS, { epoch: 9, more: ['~mallory'], key: agreement.newKey(GUESTS) }],
    [HOST, { epoch: 9, more: ['~bob'], key: agreement.newKey(HOST) }],
  ]
  for (const [org, wish] of charters) await agreement.publish(charterKey(org), agreement.charter(org, wish))
  // An estate that bob's key has not signed, and the word of who is no member.
  await agreement.tell('~bob', { key: agreement.newKey('~bob'), epoch: 9, box: 'other' })
  await agreement.tell('~mallory')
  await sleep(1_000)
  const { authority_epoch: after, nodes } = await node.link()
  const strangers = nodes.filter((one) => one.node.startsWith('~mallory')).length
  return { tries: accords.length + charters.length + 2, believed: Number(after !== before) + strangers }
}

/** Every way a guest may try, each in its turn, with a true word now and then. */
async function forge({ agreement, node, random, words }, { hasTime, least }) {
  const queryId = await askTheDesk(node)
  const ways = [...unsigned(agreement, random), ...ungranted(agreement, queryId), ...records(agreement)]
  const before = (await node.link()).figures.refused
  let [tries, genuine] = [0, 0]
  while (tries < least || (hasTime() && tries < 10 * least)) {
    await ways[tries % ways.length]()
    tries += 1
    if (tries % EACH_TRUE !== 0) continue
    await agreement.say(agreement.batch(GENUINE))
    genuine += 1
  }
  const refusedOf = ({ figures }) => figures.refused - before
  await waitFor(async () => refusedOf(await node.link()) >= tries, JUDGED_MS, 50)
  await waitFor(() => words.filter((data) => data.includes(GENUINE)).length >= genuine, JUDGED_MS, 20)
  return { tries, genuine, ways: ways.length, refused: refusedOf(await node.link()) }
}

/** A question of alice's to a role that bob is not in. @returns its id */
async function askTheDesk(node) {
  const json = { text: 'who is at the desk?', recipient_scope: DESK }
  const { body, status } = await node.ask('/v1/verbs/agent_query', { json })
  if (status !== 200) throw new Error(`the question was refused: ${JSON.stringify(body)}`)
  return body.frame.payload.query_id
}

/** What the guest's machine has not signed, and who is none of its side. */
function unsigned(agreement, random) {
  const plain = () => agreement.batch(FORGED)
  const of = (wish) => () => agreement.say(plain(), wish)
  const lane = (at) => agreement.lane('support', at)
  return [
    of({ signs: null }),
    of({ signature: 'box AAAA' }),
    of({ signs: 'other' }),
    of({ signs: '~carol' }),
    of({ subject: lane({ handle: '~carol' }) }),
    of({ bend: (text) => flip(text, random) }),
    of({ lane: lane({ handle: '~carol' }), subject: agreement.lane() }),
    of({ lane: lane({ handle: '~carol' }) }),
    of({ lane: lane({ handle: '~mallory' }), signs: '~mallory' }),
    of({ lane: lane({ node: 'other' }), signs: 'other', kid: 'other' }),
    () => agreement.say(agreement.batch(FORGED, { node: 'laptop' })),
  ]
}

/** What it has signed, and no grant names; a lane of another grant is one that the server would not let it write. */
function ungranted(agreement, queryId) {
  const say = (wish, at) => () => agreement.say(agreement.batch(FORGED, wish), at)
  const scopes = [
    '~alice/*',
    `org:${HOST}/members/*`,
    `org:${GUESTS}/members/*`,
    `accord:${HOST}/grant:desk`,
    DESK,
    'accord:~initech/grant:support',
  ]
  const answer = { frame: agreement.answer(FORGED, queryId), scope: `accord:${HOST}/grant:desk` }
  const unasked = { frame: agreement.answer(FORGED, randomUUID()), scope: `accord:${HOST}/grant:desk` }
  const advisory = { kind: 'agent_advisory', payload: { advisory_text: FORGED } }
  return [
    ...scopes.map((scope) => say({ scope })),
    say({ frame: advisory }),
    say({ frame: { acted_by: '~carol' } }),
    say({ frame: { sender_handle: '~carol', acted_by: '~carol' } }),
    say({ frame: { sender_handle: '~alice', acted_by: '~alice' } }),
    say({ sender: '~alice/cc@s1' }),
    say({
      frame: { payload: { broadcast_text: `${FORGED} ${'x'.repeat(MAX_OCTETS)}`, event_class: 'other' } },
    }),
    say({}, { lane: agreement.lane('desk') }),
    say(answer),
    say(answer, { lane: agreement.lane('desk') }),
    say(unasked, { lane: agreement.lane('desk') }),
  ]
}

/** Envelopes that no grant is for, and what has one's frames forgotten. */
function records(agreement) {
  const { formatRecord } = agreement.parts
  const envelope = (members) => (e) => {
    const made = {
      v: '1',
      id: randomUUID(),
      ts: new Date().toISOString(),
      type: 'task',
      from: 'agent.bob-dev',
      to: 'agent.alice-dev',
      intent: 'ops.ticket.open',
      corr: randomUUID(),
      reply_to: null,
      trace: null,
      priority: 'normal',
      requires: null,
      payload: { text: FORGED },
      sig: null,
      ...members,
    }
    const { to } = made
    const beside = { t: 'envelope', e, to, sender: undefined, at: Date.now(), priority: 'normal' }
    return formatRecord({ ...beside, envelopeText: JSON.stringify(made) })
  }
  const say = (record) => () => agreement.say(agreement.batch(FORGED, { record }))
  return [
    say(envelope({ intent: 'ops.deploy.now' })),
    say(envelope({ from: 'human.alice' })),
    say(envelope({ from: 'agent.carol-dev' })),
    say(envelope({ to: 'agent.nobody-here' })),
    say(envelope({ to: 'bus.ops' })),
    say(() => JSON.stringify({ t: 'forget', ids: [randomUUID()] })),
  ]
}

/** Both sign an accord that ends in a moment: what was granted is granted no more. */
async function outlive({ agreement, node }) {
  const { documentKey } = agreement.parts
  agreement.epoch += 1
  const endMs = Date.now() + LAST_MS
  const text = agreement.accord({ end: new Date(endMs).toISOString() })
  await agreement.publish(documentKey(agreement.realm), text)
  const isTaken = await waitFor(
    async () => (await node.link()).authority_epoch === agreement.epoch,
    LAST_MS,
    20,
  )
  await sleep(Math.max(0, endMs - Date.now()) + 500)
  for (let i = 0; i < AFTERWARDS; i += 1) await agreement.say(agreement.batch(FORGED))
  await sleep(2_000)
  const { why } = await node.link()
  return { tries: AFTERWARDS, isOver: isTaken !== undefined && String(why).includes('accord') }
}
