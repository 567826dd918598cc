/**
 * Plain JetStream, as somebody would use it without agentd: a message for each frame, published and acknowledged, and an
 * ordered consumer; a nats-server with a stream on the disk, and the client of NATS that the bridge has.
 */
import { jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { fileURLToPath } from 'node:url'
import { createBatches } from '../frames.mjs'
import { onEveryCore, spreadOut } from '../machine.mjs'
import { startJetStream } from '../nats.mjs'
import { spawnServer } from '../processes.mjs'
import { within } from '../waiting.mjs'

const MEMBER = fileURLToPath(new URL('./jet-member.mjs', import.meta.url))

export const STREAM = 'BENCH'
export const SUBJECT = 'bench'

/** How long a member may take to answer, in milliseconds. */
const ANSWER_MS = 20_000

/** As a contender, on every core. */
export async function startJetWay() {
  const server = await startJetStream()
  spreadOut(server.pid)
  return { ...server, name: 'jetstream' }
}

/**
 * A publisher and an ordered consumer in this process.
 *
 * @param onMessage - called for each that the consumer has
 * @returns `{publish(), close()}`
 */
export async function openJet(port, onMessage) {
  const open = () => connect({ servers: `127.0.0.1:${port}`, reconnect: false })
  const [near, far] = [await open(), await open()]
  const { publish } = publisherOn(near)
  await consumeOn(far, onMessage)
  return { publish, close: () => Promise.all([near.close(), far.close()]) }
}

/** One frame as a message; resolves when the engine has it. */
export function publisherOn(connection) {
  const engine = jetstream(connection)
  const batches = createBatches({ before: () => '', after: '' })
  return { publish: () => engine.publish(SUBJECT, batches(1)) }
}

/** Everything that comes from now on. */
export async function consumeOn(connection, onMessage) {
  const consumer = await jetstream(connection).consumers.get(STREAM, { deliver_policy: 'new' })
  await consumer.consume({ callback: onMessage })
}

/**
 * A publisher or a consumer as a process of its own, so that its CPU is its own as well.
 *
 * @param role - `publisher` or `consumer`
 * @returns `{pid, ask(word), stop()}`; `ask` gives the number that it answers with
 */
export async function startMember(role, port) {
  const command = onEveryCore([process.execPath, MEMBER, role, String(port)])
  const server = spawnServer(command, { stdio: ['pipe', 'pipe', 'pipe'] })
  let rest = ''
  const waiting = []
  server.stdout.on('data', (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    for (const line of lines) waiting.shift()?.(Number(line))
  })
  const next = async () => {
    const answer = new Promise((resolve) => waiting.push(resolve))
    const ended = server.exited.then(() => {
      throw new Error(`the ${role} ended: ${server.output().slice(-600)}`)
    })
    ended.catch(() => {})
    return within(Promise.race([answer, ended]), ANSWER_MS, `the ${role} of JetStream did not answer`)
  }
  const ask = (word) => {
    server.stdin.write(`${word}\n`)
    return next()
  }
  await ask('ready')
  return { pid: server.pid, ask, stop: () => server.stop() }
}
