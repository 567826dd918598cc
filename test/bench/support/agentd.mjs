/**
 * The daemon out of the built tree, in a directory of the run's own, and how it is spoken to.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { openConnection } from './connection.mjs'
import { PRINCIPAL, createBatches, repeatText } from './frames.mjs'
import { request } from './http.mjs'
import { onServerCore } from './machine.mjs'
import { createTempDir, spawnServer } from './processes.mjs'
import { DAEMON_ENTRY } from './root.mjs'
import { until } from './waiting.mjs'

/** Out of the way of every row; what is validated is not touched. */
const WIDE_LIMITS = {
  submissions_per_second: 1_000_000_000,
  submission_burst: 1_000_000_000,
  fan_out: 20_000,
  subscriptions: 20_000,
  sessions: 20_000,
}

const START_MS = 20_000

/** A directory with a configuration in it, and the environment that leads everything there. */
export function prepareDaemon(config = {}) {
  const dir = createTempDir()
  for (const name of ['home', 'run']) mkdirSync(dir.file(name), { mode: 0o700 })
  const { limits = {}, ...rest } = config
  const configPath = dir.file('config.json')
  writeFileSync(configPath, JSON.stringify({ ...rest, limits: { ...WIDE_LIMITS, ...limits } }), {
    mode: 0o600,
  })
  const env = {
    PATH: process.env.PATH,
    HOME: dir.file('home'),
    XDG_RUNTIME_DIR: dir.file('run'),
    AGENTD_STATE_DIR: dir.file('state'),
    AGENTD_SOCKET: dir.file('a.sock'),
    AGENTD_CONFIG: configPath,
    AGENTD_PRINCIPAL: PRINCIPAL,
  }
  return { dir, env, socketPath: dir.file('a.sock') }
}

/** The command line of the daemon, on its core. */
export function daemonCommand() {
  const flags = (process.env.AGENTD_BENCH_NODE_FLAGS ?? '').split(' ').filter((flag) => flag !== '')
  return onServerCore([process.execPath, ...flags, DAEMON_ENTRY])
}

/**
 * Starts a daemon and waits for its first answer.
 *
 * @param options.config - its configuration file; limits are wide unless it says otherwise
 * @param options.place - of `prepareDaemon`: starts in the same place again
 * @param options.scope - what its frames are addressed to; absent, all sessions of the principal
 * @param options.query - of its subscribers' streams, given their number
 */
export async function startAgentd({ config = {}, place = prepareDaemon(config), scope, query } = {}) {
  const server = spawnDaemon(place)
  await until(
    async () => {
      requireAlive(server)
      return await request(place.socketPath, '/v1/health').catch(() => undefined)
    },
    START_MS,
    'the daemon did not answer',
  )
  return addressed(daemonOf(place, server), { scope, query })
}

/** Starts a daemon and waits for nothing. */
export function spawnDaemon({ dir, env }) {
  return spawnServer(daemonCommand(), { env, cwd: dir.path })
}

/** @throws Error with the last words of a daemon that has ended */
export function requireAlive(server) {
  if (!server.isAlive()) throw new Error(`the daemon did not start: ${server.output().slice(-600)}`)
}

/** A daemon that answers, as a contender. */
export function daemonOf(place, server) {
  const { dir, env, socketPath } = place
  const daemon = {
    name: 'agentd',
    place,
    env,
    socketPath,
    pid: server.pid,
    /** Every reply is one JSON object without another inside. */
    answerMarker: '{',
    openPublisher: () => openLines(socketPath),
    health: async () => (await request(socketPath, '/v1/health')).body,
    /** Ends it and leaves the place for another start. */
    halt: (signal) => server.stop(signal),
    async stop() {
      await server.stop()
      dir.remove()
    },
  }
  return addressed(daemon, {})
}

/** As the daemon, with another scope on its frames and other queries on its subscribers' streams. */
export function addressed(daemon, { scope, query = () => '' }) {
  return {
    ...daemon,
    batches: () => createBatches({ before: () => wrapperOf(scope), after: '}\n', isChunked: true }),
    openSubscriber: (i) => openStream(daemon.socketPath, query(i)),
  }
}

function wrapperOf(scope) {
  return scope === undefined ? '{"frame":' : `{"recipient_scope":${JSON.stringify(scope)},"frame":`
}

/** As the daemon, with a line of one's own instead of the frame. */
export function withLine(daemon, line) {
  return { ...daemon, batches: () => repeatText(`${line}\n`, true) }
}

/** A streaming NDJSON request: what is written from now on are its chunks. */
export function openLines(socketPath, path = '/v1/frames') {
  const head = [`POST ${path} HTTP/1.1`, 'host: agentd', 'content-type: application/x-ndjson']
  const greeting = `${head.join('\r\n')}\r\ntransfer-encoding: chunked\r\n\r\n`
  return openConnection(
    { path: socketPath },
    greeting,
    (text) => requireOk(text) && text.includes('\r\n\r\n'),
  )
}

/** A stream that has said where it begins. */
export function openStream(socketPath, query = '') {
  return openEvents(socketPath, `/v1/handles/${PRINCIPAL}/stream${query}`)
}

/** A watch that has said how everything is. */
export function openWatch({ socketPath }) {
  return openEvents(socketPath, '/v1/watch')
}

function openEvents(socketPath, target) {
  const greeting = `GET ${target} HTTP/1.1\r\nhost: agentd\r\n\r\n`
  return openConnection({ path: socketPath }, greeting, (text) => requireOk(text) && text.endsWith('\n\n'))
}

/** How many places the daemon has given out. */
export async function newestPlace(daemon) {
  const { ring } = await daemon.health()
  return Number(ring.newest_event_id?.split('-')[1] ?? 0)
}

function requireOk(text) {
  if (text.length >= 12 && !text.startsWith('HTTP/1.1 200')) throw new Error(`refused: ${text.slice(0, 400)}`)
  return true
}
