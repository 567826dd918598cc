/**
 * Redis on a Unix socket of its own, spoken to by hand.
 */
import { execFileSync } from 'node:child_process'
import { openConnection } from './connection.mjs'
import { createBatches } from './frames.mjs'
import { hasCommand, onServerCore } from './machine.mjs'
import { createTempDir, spawnServer } from './processes.mjs'
import { until } from './waiting.mjs'

/** Entries a stream keeps, as many as the daemon's ring. */
export const KEPT_ENTRIES = 100_000

export function hasRedis() {
  return hasCommand('redis-server')
}

/** "Redis server v=7.0.15 …" → "redis 7.0.15" */
export function redisVersion() {
  return `redis ${/v=(\S+)/.exec(execFileSync('redis-server', ['--version'], { encoding: 'utf8' }))?.[1]}`
}

/**
 * Starts a server without persistence, or with an append-only file.
 *
 * @param fsync - `everysec` or `always`; absent, nothing is written
 * @param port - of TCP; absent, it is a Unix socket
 * @param bind - where that listens
 */
export async function startServer(fsync, { port = 0, bind = '127.0.0.1' } = {}) {
  const dir = createTempDir()
  const persistence =
    fsync === undefined
      ? ['--appendonly', 'no']
      : ['--appendonly', 'yes', '--appendfsync', fsync, '--auto-aof-rewrite-percentage', '0']
  const command = [
    'redis-server',
    '--port',
    String(port),
    '--bind',
    bind,
    '--protected-mode',
    bind === '127.0.0.1' ? 'yes' : 'no',
    '--unixsocket',
    dir.file('r.sock'),
    '--unixsocketperm',
    '700',
  ]
  const target = port === 0 ? { path: dir.file('r.sock') } : { host: '127.0.0.1', port }
  const server = spawnServer(onServerCore([...command, '--save', '', '--dir', dir.path, ...persistence]))
  await until(
    async () => {
      if (!server.isAlive()) throw new Error(`redis did not start: ${server.output().slice(-600)}`)
      return await openRedis(target).catch(() => undefined)
    },
    10_000,
    'redis did not answer',
  ).then((connection) => connection.close())
  return {
    pid: server.pid,
    socketPath: dir.file('r.sock'),
    openPublisher: () => openRedis(target),
    openSubscriber: () => openConnection(target, 'SUBSCRIBE bench\r\n', isSubscribed),
    async stop() {
      await server.stop()
      dir.remove()
    },
  }
}

/** A connection that has been answered. @param target - `{path}` or `{host, port}` */
export function openRedis(target) {
  return openConnection(target, 'PING\r\n', (text) => text === '+PONG\r\n')
}

function isSubscribed(text) {
  return text.endsWith('subscribe\r\n$5\r\nbench\r\n:1\r\n')
}

/** Publish and subscribe. */
export async function startRedisPubSub() {
  const server = await startServer()
  return {
    ...server,
    name: 'redis',
    /** `:<receivers>` */
    answerMarker: ':',
    batches: () => createBatches({ before: (octets) => array('PUBLISH', 'bench', octets), after: '\r\n' }),
  }
}

/** Entries for a stream. */
export function createXadds() {
  const words = ['XADD', 'bench', 'MAXLEN', '~', String(KEPT_ENTRIES), '*', 'f']
  return createBatches({ before: (octets) => array(...words, octets), after: '\r\n' })
}

/** A stream with an append-only file. @param where - as of the server */
export async function startRedisStream(fsync, where) {
  const server = await startServer(fsync, where)
  return {
    ...server,
    name: `redis XADD ${fsync}`,
    /** `$15\r\n<ms>-<n>` */
    answerMarker: '$',
    batches: createXadds,
  }
}

/** The head of a command whose last word has so many octets and follows. */
function array(...words) {
  const octets = words.pop()
  return `*${words.length + 1}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}$${octets}\r\n`
}
