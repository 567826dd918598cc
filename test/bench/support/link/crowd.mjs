/**
 * Nodes that exist on paper alone: the estate names them, and what they say of themselves is signed by their keys, by turns,
 * each as often as a daemon would.
 */
import { REALM } from '../../../torture/support/link/hub.mjs'
import { until } from '../waiting.mjs'

/** How often each says it, as a daemon does, in milliseconds. */
const HEARTBEAT_MS = 10_000

/** How long until everybody has been heard of, in milliseconds. */
const HEARD_MS = 60_000

/**
 * Begins, and waits until both machines of the pair know everybody.
 *
 * @param names - of nodes that the hub has invited
 * @returns `{said(), while(promise), stop()}`: how often somebody has spoken; waits for something while they do
 */
export async function keepPresent({ hub, near, far }, names) {
  const connection = await hub.connectAsRoot()
  const speakers = names.map((name) => speakerOf(hub, name))
  let said = 0
  let fail
  const failed = new Promise((_resolve, reject) => (fail = reject))
  failed.catch(() => {})
  const speak = () => {
    const speaker = speakers[said % speakers.length]
    said += 1
    speaker(connection).catch(fail)
  }
  for (const _ of names) speak()
  const timer = setInterval(speak, HEARTBEAT_MS / names.length)
  const crowd = {
    said: () => said,
    while: (promise) => Promise.race([promise, failed]),
    async stop() {
      clearInterval(timer)
      await connection.close()
    },
  }
  try {
    for (const { node } of [near, far])
      await crowd.while(
        until(() => hasHeardOf(node, names), HEARD_MS, `${node.name} has not heard of everybody`),
      )
    return crowd
  } catch (error) {
    await crowd.stop()
    throw error
  }
}

async function hasHeardOf(node, names) {
  const { nodes = [] } = (await node.link()) ?? {}
  const here = new Set(nodes.filter(({ state }) => state === 'here').map((one) => one.node))
  return names.every((name) => here.has(name))
}

/** What publishes one presence, and waits until the engine has it. */
function speakerOf(hub, name) {
  const {
    HEADER_SIGNATURE,
    formatPresence,
    kvSubject,
    nodeKey,
    principalOf,
    readNodeKey,
    signBatch,
    transport,
  } = hub.parts
  const { key } = readNodeKey(hub.nodes.get(name).nodeKey.seed)
  const subject = kvSubject(REALM, nodeKey(REALM, { handle: principalOf(REALM), node: name }))
  const session = { address: `~alice/cc-opus@${name}`, instrument: 'cc-opus', session_id: name }
  return async (connection) => {
    const sessions = [{ ...session, live: true, mailbox: false }]
    const text = formatPresence({ sent_at: Date.now(), state: 'here', speaks: [1], sessions })
    const headers = transport.headers()
    headers.set(HEADER_SIGNATURE, signBatch(key, name, subject, text))
    const answer = await connection.request(subject, text, { headers, timeout: 5_000 })
    if (answer.json().error !== undefined) throw new Error(`${name} was not heard: ${answer.string()}`)
  }
}
