/**
 * Two machines of one person and a hub, as they are in earnest: daemons with their stores, the bridges that they run, and a
 * nats-server with TLS, NKEYs and streams on the disk. All of it on one loopback, or with `--namespaces` each machine in a network
 * of its own; and on every core: five processes on one would be a row about the scheduler.
 */
import { cleanUpAtExit } from '../../../torture/support/cleanup.mjs'
import { Hub } from '../../../torture/support/link/hub.mjs'
import { LinkedNode } from '../../../torture/support/link/node.mjs'
import { isApart } from '../../../torture/support/namespaces.mjs'
import { Wire } from '../../../torture/support/link/wire.mjs'
import { openLines, openStream } from '../agentd.mjs'
import { createBatches } from '../frames.mjs'
import { hasCommand, onEveryCore, spreadOut } from '../machine.mjs'
import { hasNats } from '../nats.mjs'
import { until } from '../waiting.mjs'

/** Nothing is held back: what a node may bring is not what is measured. */
const RULES = {
  allow: { kinds: ['*'], presence: 'full' },
  accept: { per_second: 1_000_000_000 },
}

/** How long both machines may take to hear of each other, in milliseconds. */
const MEET_MS = 30_000

/** Why there is no pair on this machine; undefined where there can be one. */
export function whyNoPair() {
  if (!hasNats()) return 'nats-server is not installed: not taken'
  return hasCommand('openssl') ? undefined : 'openssl is not installed: not taken'
}

/** The line of a row that cannot be measured here. */
export function notTaken(line) {
  return { ...line, figure: null, peer: null, held: null, note: whyNoPair() }
}

/**
 * Starts them, and waits until each has heard of the other.
 *
 * @param others - nodes that are invited as well and have no machine
 * @returns `{hub, near, far, ways, linkPids(), stop()}`; `near` and `far` are contenders: frames go into the first and come out of
 *   the second; `linkPids` are the bridges and the hub
 */
export async function startPair({ others = [] } = {}) {
  cleanUpAtExit()
  const hub = await Hub.start({ nodes: ['laptop', 'devbox', ...others] })
  spreadOut(hub.pid)
  const nodes = []
  const ways = []
  const stop = async () => {
    for (const node of nodes) await node.stop()
    for (const way of ways) await way.close()
    await hub.stop()
  }
  try {
    for (const name of ['laptop', 'devbox']) {
      // On loopback there is nothing between: a proxy would be measured with it.
      if (isApart) ways.push(await Wire.open(hub.port))
      const { command = [], ...way } = ways.at(-1) ?? {}
      const linkText = hub.linkText(name, { host: way.host, port: way.port })
      const wish = { linkText, rules: RULES, command: onEveryCore(command) }
      nodes.push(await LinkedNode.start(name, wish))
    }
    for (const node of nodes) await node.become('up')
    await until(() => haveMet(nodes), MEET_MS, 'the two machines have not heard of each other')
    const [near, far] = nodes.map(contenderOf)
    return { hub, near, far, ways, linkPids: () => [...nodes.map((node) => node.bridgePid()), hub.pid], stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function haveMet(nodes) {
  const links = await Promise.all(nodes.map((node) => node.link()))
  return links.every((link) => link?.nodes.some(({ state }) => state === 'here'))
}

function contenderOf(node) {
  const { socket } = node
  return {
    node,
    pid: node.daemon.pid,
    /** Of `queued_count`, once in every reply; a reply that tells of other machines has objects inside. */
    answerMarker: 'q',
    batches: () => createBatches({ before: () => '{"frame":', after: '}\n', isChunked: true }),
    openPublisher: () => openLines(socket),
    openSubscriber: () => openStream(socket),
  }
}
