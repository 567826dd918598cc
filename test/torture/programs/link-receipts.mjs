/**
 * What is said of a message whose recipient is on a machine that is away: how far it is, and never more than is known. A question
 * that nobody can hear just now says so at once, and still comes; who waits for all waits for nobody who is away; and `seen` comes
 * when the other machine is back, however long that was by its clock (FT-18, FED-50, FED-52, FED-53).
 */
import { fakeClock, findFaketime } from '../support/faketime.mjs'
import { makeFrame } from '../support/frames.mjs'
import { loadClient, whatIsMissing } from '../support/link/hub-parts.mjs'
import { withScene } from '../support/link/scene.mjs'
import { openReader } from '../support/reader.mjs'
import { sleep, waitFor } from '../support/waiting.mjs'

const AWAY_MS = 600_000

/** What is said before, in milliseconds. */
const SPOKEN_MS = 1_000

/** A roster counts for 30 s; whoever is asked later answers within this, in milliseconds. */
const NOTICED_MS = 45_000
const AT_ONCE_MS = 3_000

/** Longer than anything here may take, in milliseconds. */
const DEADLINE_MS = 20_000

const INSTRUMENT = 'cc-opus-4-6'
const FAR = `~alice/${INSTRUMENT}@far`

export default {
  name: 'link-receipts',
  promise: 'FED-50, FED-52, FED-53',
  summary: 'a recipient that is away: receipts and questions claim nothing, and `seen` comes when it is back',
  async run() {
    const missing = whatIsMissing()
    if (missing !== undefined) return missing
    const library = findFaketime()
    if (library === undefined) return { skipped: 'libfaketime is not installed', missing: 'libfaketime' }
    const { connect } = await loadClient()
    return await withScene({}, async (scene) => {
      await scene.speak()
      await sleep(SPOKEN_MS)
      // What is looked for stands alone in the mailboxes from here on.
      await scene.hush()
      const { token } = await listenFar(scene)
      const client = await connect({ socket: scene.node('laptop').socket })
      const here = await askFar(client, scene, token)
      scene.way('devbox').cut()
      const handed = await sendFar(scene.node('laptop'))
      const away = await beAway(scene, client)
      const back = await comeBack({ scene, library, token, handed, away })
      const { figures, holds } = await scene.settle()
      await client.close()
      const kept = [here, handed, away, back]
      return {
        ...Object.assign({}, ...kept.map((one) => one.figures)),
        ...figures,
        holds: holds && kept.every((one) => one.holds),
      }
    })
  },
}

/** A session with a mailbox on the machine that will be away; the other one knows of it. */
async function listenFar(scene) {
  const json = { instrument: INSTRUMENT, session_id: 'far', mailbox: true }
  const { body } = await scene.node('devbox').ask('/v1/sessions', { json })
  const isKnown = async () => {
    const { text } = await scene.node('laptop').ask('/v1/handles/~alice/roster?nodes=all')
    return text.includes(FAR)
  }
  if ((await waitFor(isKnown, DEADLINE_MS, 20)) === undefined) throw new Error('nobody has heard of it')
  return { token: body.token }
}

/** A question to who is there: it is waited for, and answered. */
async function askFar(client, scene, token) {
  const { socket } = scene.node('devbox')
  const reader = openReader(socket, {
    token,
    onEvent({ event, data }) {
      if (event !== 'agent_frame' || !data.includes('"agent_query"')) return
      respond(scene.node('devbox'), token, JSON.parse(data)).catch(() => {})
    },
  })
  await reader.until(() => reader.connects > 0)
  const asked = await client.ask('who is there?', { scope: FAR, timeoutMs: DEADLINE_MS })
  reader.close()
  return { figures: { asked_while_there: asked.outcome }, holds: asked.outcome === 'answered' }
}

async function respond(node, token, { payload: { query_id } }) {
  const payload = { query_id, responder_session_id: 'far', response_text: 'I am' }
  await node.ask('/v1/frames', { token, json: { frame: makeFrame({ kind: 'agent_response', payload }) } })
}

/** What is for the one that is away, as long as its roster counts: the hub has it, and more is not said. */
async function sendFar(node) {
  const frame = makeFrame({ text: 'for who is away' })
  const { body } = await node.ask('/v1/frames', { json: { recipient_scope: FAR, frame } })
  await waitFor(() => stateOf(node, frame.frame_id, 'remote-handed'), DEADLINE_MS, 20)
  const states = await statesOf(node, frame.frame_id)
  return {
    frameId: frame.frame_id,
    figures: { sent_to_who_is_away: states.join(' ') },
    holds: body.recipient_count === 0 && states.length === 1 && states[0] === 'remote-handed',
  }
}

/** It has not been heard of for as long as a roster counts. */
async function beAway(scene, client) {
  const laptop = scene.node('laptop')
  await waitFor(async () => (await nodeOf(laptop))?.state === 'away', NOTICED_MS, 100)
  const startedMs = performance.now()
  const asked = await client.ask('is anybody there?', { scope: FAR, timeoutMs: 2 * AWAY_MS })
  const askedMs = Math.round(performance.now() - startedMs)
  const waited = await waitForAll(laptop)
  return {
    figures: {
      asked_while_away: asked.outcome,
      asked_while_away_ms: askedMs,
      away: asked.remote?.away.join(' ') ?? 'nobody',
      waited_for_all_ms: waited.tookMs,
    },
    holds:
      asked.outcome === 'no-listener' &&
      askedMs <= AT_ONCE_MS &&
      asked.remote?.sessions === 0 &&
      asked.remote.away.includes('devbox') &&
      waited.holds,
  }
}

/** Everybody is to see something: one here does, and nobody waits for the one that is away. */
async function waitForAll(laptop) {
  const json = { instrument: INSTRUMENT, session_id: 'near', mailbox: true }
  const { body: session } = await laptop.ask('/v1/sessions', { json })
  const frame = makeFrame({ text: 'for all of you' })
  await laptop.ask('/v1/frames', { json: { recipient_scope: '~alice/cc-*', frame } })
  const startedMs = performance.now()
  const waiting = laptop.ask(`/v1/frames/${frame.frame_id}?wait=all&timeout_ms=${DEADLINE_MS}`, {
    timeoutMs: 2 * DEADLINE_MS,
  })
  await laptop.ask('/v1/inbox/drain', { token: session.token, json: {} })
  const { body } = await waiting
  const tookMs = Math.round(performance.now() - startedMs)
  const near = body.receipts?.find(({ address }) => address.endsWith('@near'))
  return {
    tookMs,
    holds: tookMs < DEADLINE_MS / 2 && near?.state === 'seen' && body.away?.includes('devbox'),
  }
}

/** Its daemon starts again ten minutes later by its clock, its way is whole, and its session looks into its mailbox. */
async function comeBack({ scene, library, token, handed: { frameId } }) {
  const [laptop, devbox] = [scene.node('laptop'), scene.node('devbox')]
  await devbox.daemon.stop()
  await devbox.start(fakeClock(AWAY_MS, library))
  scene.way('devbox').heal()
  await devbox.become('up')
  let asked = false
  let seen = false
  await waitFor(
    async () => {
      const { text } = await devbox.ask('/v1/inbox/drain', { token, json: { max_items: 100 } })
      asked ||= text.includes('is anybody there?')
      seen ||= text.includes('for who is away')
      return asked && seen
    },
    DEADLINE_MS,
    50,
  )
  const receipt = await waitFor(() => stateOf(laptop, frameId, 'seen'), DEADLINE_MS, 20)
  const states = await statesOf(laptop, frameId)
  return {
    figures: { question_came_later: asked, receipt_in_the_end: states.join(' ') },
    holds: asked && seen && receipt !== undefined,
  }
}

async function nodeOf(laptop) {
  return (await laptop.link())?.nodes.find(({ node }) => node === 'devbox')
}

async function receiptsOf(node, frameId) {
  const { body } = await node.ask(`/v1/frames/${frameId}`)
  return (body.receipts ?? []).filter((one) => one.node !== undefined)
}

async function statesOf(node, frameId) {
  return (await receiptsOf(node, frameId)).map(({ state }) => state)
}

async function stateOf(node, frameId, wanted) {
  return (await statesOf(node, frameId)).includes(wanted)
}
