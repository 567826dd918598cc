/**
 * A machine that means ill, and a hub that does: what the server lets through of a machine's credential, and what the daemons
 * take of forged, bent and replayed batches, documents and rosters. Nothing is accepted, each refusal names its code, and what
 * is true comes all the same, with members and sorts of records that this version does not know (FT-12, FT-17, FED-13, FED-17,
 * FED-41, FED-45).
 */
import { FORGED, GENUINE, Ghost, flip } from '../support/link/forgery.mjs'
import { whatIsMissing } from '../support/link/hub-parts.mjs'
import { PRINCIPAL, REALM } from '../support/link/hub.mjs'
import { withScene } from '../support/link/scene.mjs'
import { openReader } from '../support/reader.mjs'
import { sleep, waitFor } from '../support/waiting.mjs'

const GHOST = 'ghost'

/** Forged batches in a short round and in a long one. */
const MIN_TRIES = 120
const LONG_TRIES = 1_000

/** How long a machine's key is shot at, in milliseconds. */
const AIMED_MS = 1_000

/** How long what was forged before may take to be read: it is all read first, in order. */
const READ_MS = 120_000

export default {
  name: 'link-forged',
  promise: 'FED-13, FED-17, FED-41, FED-45',
  summary: 'a machine and a hub that mean ill: nothing forged is accepted, and every refusal names its code',
  async run({ minutes, random, hasTime }) {
    return (
      whatIsMissing() ??
      (await withScene({ names: ['laptop', GHOST, 'devbox'], absent: [GHOST] }, async (scene) => {
        const reader = openReader(scene.node('devbox').socket, { resume: true })
        await reader.until(() => reader.connects > 0)
        const ghost = await Ghost.rise(scene.hub, GHOST)
        try {
          const atTheServer = await tryTheServer(scene.hub)
          const heard = ghost.overhear()
          await scene.speak()
          await waitFor(() => heard.length > 5)
          const forged = await forge({
            ghost,
            heard,
            random,
            hasTime,
            least: minutes >= 1 ? LONG_TRIES : MIN_TRIES,
          })
          const documents = await forgeDocuments(scene, ghost)
          const aimed = await aimAtKey(scene)
          const skewed = await speakAnotherVersion(scene, ghost)
          const { figures, holds } = await scene.settle()
          return judge({ scene, reader, atTheServer, forged, documents, aimed, skewed, figures, holds })
        } finally {
          reader.close()
          await ghost.vanish()
        }
      }))
    )
  },
}

async function judge({ scene, reader, atTheServer, forged, documents, aimed, skewed, figures, holds }) {
  const link = await scene.node('devbox').link()
  const came = (word) => reader.frames.filter(({ data }) => data.includes(word)).length
  const codes = [
    ...scene
      .node('devbox')
      .daemon.stderr()
      .matchAll(/"link-record-refused".*?"code":"([a-z-]+)"/g),
  ]
  const told = codes.map(([, code]) => code)
  return {
    tries_at_the_server: atTheServer.tries,
    let_through_by_the_server: atTheServer.accepted.join(', ') || 'none',
    forged_batches: forged.tries,
    forged_accepted: came(FORGED),
    true_said: forged.genuine + skewed.said,
    true_that_came: came(GENUINE),
    refused_by_the_daemon: link.figures.refused,
    codes: [...new Set(told)].join(' '),
    ...documents.figures,
    ...aimed.figures,
    ...skewed.figures,
    ...figures,
    holds:
      holds &&
      documents.holds &&
      aimed.holds &&
      skewed.holds &&
      atTheServer.accepted.length === 0 &&
      came(FORGED) === 0 &&
      came(GENUINE) === forged.genuine + skewed.said &&
      link.figures.refused >= forged.tries &&
      told.length > 0,
  }
}

/** What a machine's own credential may not do. @returns the names of those that it could */
async function tryTheServer(hub) {
  const { bucketStream, kvSubject, ownLane, streamName } = hub.parts
  const stream = streamName(REALM)
  const other = ownLane(REALM, 'devbox')
  const asks = [
    [other, 'x'],
    [kvSubject(REALM, 'node.devbox'), 'x'],
    [kvSubject(REALM, 'estate'), 'x'],
    [`$JS.API.STREAM.DELETE.${stream}`, ''],
    [`$JS.API.STREAM.PURGE.${stream}`, ''],
    [`$JS.API.STREAM.UPDATE.${stream}`, '{}'],
    [`$JS.API.STREAM.MSG.GET.${stream}`, '{"seq":1}'],
    [`$JS.API.STREAM.MSG.DELETE.${stream}`, '{"seq":1}'],
    [`$JS.API.STREAM.SNAPSHOT.${stream}`, '{"deliver_subject":"x"}'],
    [`$JS.API.STREAM.DELETE.${bucketStream(REALM)}`, ''],
    ['$JS.API.STREAM.LIST', ''],
    ['$JS.API.STREAM.CREATE.MINE', '{"name":"MINE","subjects":["mine"]}'],
    [`$JS.API.CONSUMER.LIST.${stream}`, ''],
    [`$JS.API.CONSUMER.NAMES.${stream}`, ''],
    [`$JS.API.CONSUMER.CREATE.${stream}`, JSON.stringify({ stream_name: stream, config: {} })],
    [`$JS.API.CONSUMER.DURABLE.CREATE.${stream}.mine`, JSON.stringify({ stream_name: stream, config: {} })],
    [`$JS.API.DIRECT.GET.${stream}.${other}`, ''],
  ]
  const accepted = []
  await hub.asNode('laptop', async (connection) => {
    for (const [subject, body] of asks) {
      const answer = await connection.request(subject, body, { timeout: 300 }).catch(() => undefined)
      if (answer !== undefined && answer.json?.()?.error === undefined) accepted.push(subject)
    }
  })
  return { tries: asks.length, accepted }
}

/** What stands in a batch that its own machine has signed, and may not. */
const CONTENTS = [
  { frame: { acted_by: '~mallory', sender_handle: '~mallory' } },
  { frame: { acted_by: '~mallory' } },
  { frame: { sender_handle: '~mallory' } },
  { bend: (line) => line.replace('"scope":"~alice/*"', '"scope":"~bob/*"') },
  { bend: (line) => line.replace('"scope":', '"sender":"~bob/cc@s1","scope":') },
]

/** Every way to forge a batch, again and again, with a true one now and then. */
async function forge({ ghost, heard, random, hasTime, least }) {
  const { lane } = ghost
  const stranger = ghost.keyOf('laptop')
  const unsigned = [
    (body) => [body, undefined],
    (body) => [body, 'ghost AAAA'],
    (body) => [body, ghost.sign(body, { key: stranger })],
    (body) => [body, ghost.sign(body, { key: stranger, kid: 'laptop' })],
    (body) => [body, ghost.sign(body, { subject: lane.replace(/ghost$/, 'laptop') })],
    (body) => [flip(body, random), ghost.sign(body)],
    () => {
      const { body, signature } = random.pick(heard.filter(({ subject }) => subject !== lane))
      return [body, signature]
    },
  ]
  let [tries, genuine] = [0, 0]
  while (tries < least || (hasTime() && tries < 100 * least)) {
    if (tries % 20 === 0) {
      await ghost.say(GENUINE)
      genuine += 1
    }
    const way = tries % (unsigned.length + CONTENTS.length)
    if (way < unsigned.length) await ghost.put(lane, ...unsigned[way](ghost.batch(FORGED).body))
    else await ghost.say(FORGED, CONTENTS[way - unsigned.length])
    tries += 1
  }
  return { tries, genuine }
}

/** Estates and rosters that are nobody's word: who is who stays as it was. */
async function forgeDocuments({ hub, ...scene }, ghost) {
  const { documentKey, kvSubject, nodeKey } = hub.parts
  const devbox = scene.nodes.find(({ name }) => name === 'devbox')
  const before = await devbox.link()
  const estate = JSON.parse(hub.estateText(before.authority_epoch + 1))
  const forgedEstates = [
    JSON.stringify({ ...estate, nodes: [] }),
    JSON.stringify({ ...estate, authority_epoch: estate.authority_epoch + 50 }),
    hub.estateText(0 + 1),
    'no estate at all',
  ]
  for (const text of forgedEstates) await ghost.put(kvSubject(REALM, documentKey(REALM)), text)
  const presence = JSON.stringify({ sent_at: Date.now(), state: 'left', speaks: [1], sessions: [] })
  const subject = kvSubject(REALM, nodeKey(REALM, { handle: PRINCIPAL, node: 'laptop' }))
  await ghost.put(subject, presence, ghost.sign(presence, { subject }))
  await ghost.put(subject, presence, undefined)
  await sleep(500)
  const after = await devbox.link()
  const laptop = after.nodes.find(({ node }) => node === 'laptop')
  return {
    figures: {
      forged_documents: forgedEstates.length + 2,
      authority_epoch: after.authority_epoch,
      laptop_is: laptop?.state,
    },
    holds: after.authority_epoch === before.authority_epoch && laptop?.state === 'here',
  }
}

/**
 * The server lets a machine have what it may read delivered to any subject, another machine's key too: whatever arrives there nobody
 * has signed as that machine's word, and it stays where it was.
 */
async function aimAtKey({ hub, ...scene }) {
  const { kvSubject, laneFilter, nodeKey, streamName } = hub.parts
  const stream = streamName(REALM)
  const filter = laneFilter(REALM)
  const key = kvSubject(REALM, nodeKey(REALM, { handle: PRINCIPAL, node: 'devbox' }))
  const config = { name: 'aimed', deliver_subject: key, filter_subject: filter, ack_policy: 'none' }
  const answer = await hub.asNode('laptop', (connection) =>
    connection
      .request(
        `$JS.API.CONSUMER.CREATE.${stream}.aimed.${filter}`,
        JSON.stringify({ stream_name: stream, config: { ...config, deliver_policy: 'all' } }),
        { timeout: 10_000 },
      )
      .catch(() => undefined),
  )
  const isMade = answer !== undefined && answer.json().error === undefined
  const onKey = await hub.asRoot(async (connection) => {
    let count = 0
    connection.subscribe(key, { callback: () => (count += 1) })
    await sleep(AIMED_MS)
    if (isMade) await connection.request(`$JS.API.CONSUMER.DELETE.${stream}.aimed`, '', { timeout: 10_000 })
    return count
  })
  const laptop = scene.nodes.find(({ name }) => name === 'laptop')
  const devbox = (await laptop.link()).nodes.find(({ node }) => node === 'devbox')
  return {
    figures: { aimed_at_a_key: isMade ? onKey : 'refused by the server', devbox_is: devbox?.state },
    holds: devbox?.state === 'here' && (!isMade || onKey > 0),
  }
}

/** What a later version may say: more members, other sorts, and a version that stops the lane and nothing else. */
async function speakAnotherVersion({ nodes }, ghost) {
  const devbox = nodes.find(({ name }) => name === 'devbox')
  const { skipped } = (await devbox.link()).figures
  await ghost.say(GENUINE, {
    head: { moon_phase: 'new' },
    bend: (line) => line.replace('"scope":', '"colour":"blue","scope":'),
    records: [JSON.stringify({ t: 'hologram', depth: 3 })],
  })
  const isSkipped = await waitFor(async () => (await devbox.link()).figures.skipped > skipped, READ_MS)
  await ghost.say(FORGED, { head: { v: 2 } })
  // It is behind what could not be read, so it may not come before that.
  await ghost.say(FORGED)
  await sleep(500)
  return {
    figures: { unknown_sorts_skipped: isSkipped !== undefined },
    holds: isSkipped !== undefined,
    said: 1,
  }
}
