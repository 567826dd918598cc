/**
 * Plain JetStream, as somebody would use it without agentd: a message for each frame, published and acknowledged, and an
 * ordered consumer; a nats-server with a stream on the disk, and the client of NATS that the bridge has. Publisher and consumer are
 * processes, each in the network of a machine where there are such; once without TLS and once with it, as the link has it.
 */
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { freePort, loadParts } from '../../../torture/support/link/hub-parts.mjs'
import { isApart } from '../../../torture/support/namespaces.mjs'
import { createBatches } from '../frames.mjs'
import { spreadOut } from '../machine.mjs'
import { createTempDir, spawnServer } from '../processes.mjs'
import { until } from '../waiting.mjs'
import { startMember } from './member.mjs'

const MEMBER = fileURLToPath(new URL('./jet-member.mjs', import.meta.url))

const STREAM = 'BENCH'
const SUBJECT = 'bench'

/** Messages a stream keeps, as many as the daemon's ring. */
const KEPT_MESSAGES = 100_000

/** What the certificate of the server is for, and who has signed it. */
const SERVER_NAME = 'agentd-hub'

const READY_MS = 10_000

/** As a contender, on every core. @param ways - of both machines, where they have networks of their own */
export async function startJetWay({ hasTls = false, ways = [] } = {}) {
  const dir = createTempDir()
  const port = await freePort()
  const caPath = hasTls ? await writeCertificate(dir) : undefined
  const tls = hasTls
    ? `tls { cert_file: "${dir.file('cert.pem')}", key_file: "${dir.file('key.pem')}" }\n`
    : ''
  const host = isApart ? '0.0.0.0' : '127.0.0.1'
  const text = `listen: "${host}:${port}"\n${tls}jetstream { store_dir: "${dir.file('js')}" }\n`
  writeFileSync(dir.file('nats.conf'), text)
  const server = spawnServer(['nats-server', '-c', dir.file('nats.conf')])
  spreadOut(server.pid)
  await makeStream({ host: '127.0.0.1', port, caPath })
  const [near, far] = ways
  const memberOf = (role, way) => {
    const words = [way?.host ?? '127.0.0.1', port, caPath ?? ''].map(String)
    return startMember([MEMBER, role, ...words], way?.command)
  }
  return {
    pid: server.pid,
    name: hasTls ? 'jetstream tls' : 'jetstream',
    startPublisher: () => memberOf('publisher', near),
    startConsumer: () => memberOf('consumer', far),
    async stop() {
      await server.stop()
      dir.remove()
    },
  }
}

/** @param server - `{host, port, caPath}`; the last undefined or empty without TLS */
export function openJet({ host, port, caPath }) {
  const tls = caPath ? { tls: { ca: readFileSync(caPath, 'utf8'), servername: SERVER_NAME } } : {}
  return connect({ servers: `${host}:${port}`, reconnect: false, ...tls })
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

/** @returns where the certificate of its authority is */
async function writeCertificate(dir) {
  const { createCertificate } = await loadParts()
  const { authority, certificate, key } = createCertificate(SERVER_NAME, process.env.PATH)
  writeFileSync(dir.file('cert.pem'), certificate)
  writeFileSync(dir.file('key.pem'), key, { mode: 0o600 })
  writeFileSync(dir.file('ca.pem'), authority)
  return dir.file('ca.pem')
}

async function makeStream(server) {
  const connection = await until(() => openJet(server).catch(() => undefined), READY_MS, 'nats did not start')
  const manager = await jetstreamManager(connection)
  const limits = { storage: 'file', retention: 'limits', discard: 'old', max_msgs: KEPT_MESSAGES }
  await manager.streams.add({ name: STREAM, subjects: [SUBJECT], num_replicas: 1, ...limits })
  await connection.close()
}
