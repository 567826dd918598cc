/**
 * NATS on a loopback port of its own, spoken to by hand.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { openConnection } from './connection.mjs'
import { createBatches } from './frames.mjs'
import { hasCommand, onServerCore } from './machine.mjs'
import { createTempDir, spawnServer } from './processes.mjs'
import { until, within } from './waiting.mjs'

/** Messages a stream keeps, as many as the daemon's ring. */
const KEPT_MESSAGES = 100_000

const CONNECT = 'CONNECT {"verbose":false,"pedantic":false,"lang":"bench","version":"1","protocol":1}\r\n'

export function hasNats() {
  return hasCommand('nats-server')
}

/** "nats-server: v2.9.10" → "nats 2.9.10" */
export function natsVersion() {
  return `nats ${/v([\d.]+)/.exec(execFileSync('nats-server', ['--version'], { encoding: 'utf8' }))?.[1]}`
}

/** Whether this build can flush every message before it acknowledges. */
export function canSyncAlways() {
  const dir = createTempDir()
  try {
    writeFileSync(dir.file('nats.conf'), configOf(dir, 'always'))
    execFileSync('nats-server', ['-t', '-c', dir.file('nats.conf')], { stdio: 'ignore' })
    return true
  } catch {
    return false
  } finally {
    dir.remove()
  }
}

function configOf(dir, sync) {
  const stream = `jetstream { store_dir: "${dir.file('js')}"${sync === undefined ? '' : `, sync_interval: ${sync}`} }\n`
  return `listen: "127.0.0.1:-1"\nports_file_dir: "${dir.path}"\n${stream}`
}

async function startServer(config) {
  const dir = createTempDir()
  writeFileSync(dir.file('nats.conf'), config(dir))
  const server = spawnServer(onServerCore(['nats-server', '-c', dir.file('nats.conf')]))
  const port = await until(
    () => {
      if (!server.isAlive()) throw new Error(`nats did not start: ${server.output().slice(-600)}`)
      return readPort(dir)
    },
    10_000,
    'nats said no port',
  )
  const target = { host: '127.0.0.1', port }
  return {
    pid: server.pid,
    port,
    open: (words) =>
      openConnection(
        target,
        `${CONNECT}${words}PING\r\n`,
        (text) => text.includes('PONG\r\n') || refuse(text),
      ),
    async stop() {
      await server.stop()
      dir.remove()
    },
  }
}

function refuse(text) {
  if (text.includes('-ERR')) throw new Error(`nats refused: ${text.slice(0, 300)}`)
  return false
}

/** From the file the server writes when it listens. */
function readPort(dir) {
  const file = readdirSync(dir.path).find((name) => name.endsWith('.ports'))
  if (file === undefined) return undefined
  try {
    return Number(new URL(JSON.parse(readFileSync(dir.file(file), 'utf8')).nats[0]).port)
  } catch {
    return undefined
  }
}

/** Publish and subscribe. */
export async function startNatsPubSub() {
  const server = await startServer((dir) => `listen: "127.0.0.1:-1"\nports_file_dir: "${dir.path}"\n`)
  return {
    ...server,
    name: 'nats',
    batches: () => createBatches({ before: (octets) => `PUB bench ${octets}\r\n`, after: '\r\n' }),
    openPublisher: () => server.open(''),
    openSubscriber: () => server.open('SUB bench 1\r\n'),
  }
}

/**
 * JetStream with file storage; every message is acknowledged.
 *
 * @param sync - `always`, or undefined for the server's own interval
 */
export async function startJetStream(sync) {
  const server = await startServer((dir) => configOf(dir, sync))
  const stream = {
    name: 'BENCH',
    subjects: ['bench'],
    storage: 'file',
    retention: 'limits',
    discard: 'old',
    max_msgs: KEPT_MESSAGES,
    num_replicas: 1,
  }
  const text = JSON.stringify(stream)
  const maker = await server.open('SUB made 1\r\n')
  const made = new Promise((resolve, reject) => {
    maker.onLost = reject
    maker.onBytes = (buffer, length) => {
      const answer = buffer.latin1Slice(0, length)
      if (answer.includes('"error"')) reject(new Error(`no stream: ${answer}`))
      else if (answer.includes('"created"')) resolve()
    }
    maker.write(`PUB $JS.API.STREAM.CREATE.BENCH made ${text.length}\r\n${text}\r\n`)
  })
  await within(made, 10_000, 'JetStream made no stream')
  maker.close()
  return {
    ...server,
    name: sync === undefined ? 'jetstream file' : `jetstream sync ${sync}`,
    /** `MSG acks 1 28\r\n{"stream":"BENCH","seq":1}` */
    answerMarker: '{',
    batches: () => createBatches({ before: (octets) => `PUB bench acks ${octets}\r\n`, after: '\r\n' }),
    openPublisher: () => server.open('SUB acks 1\r\n'),
  }
}
