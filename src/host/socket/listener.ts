/**
 * Taking, holding and giving back the public name of the socket.
 *
 * The socket is bound under a private name, made 0600 and renamed into place: nobody ever sees it with
 * another mode, and `server.close()`, which removes the name it bound, cannot remove a successor's socket.
 *
 * @see docs/reliability.md §0 findings 3, 4 and 11, §1.2
 */
import { randomBytes } from 'node:crypto'
import { chmodSync, lstatSync, renameSync, unlinkSync, watch } from 'node:fs'
import type { BigIntStats } from 'node:fs'
import { createConnection } from 'node:net'
import type { ListenOptions, Server } from 'node:net'
import { dirname, join } from 'node:path'
import { systemErrorCode } from '../../core/thrown.ts'
import { MAX_SOCKET_PATH_BYTES, requireSocketPathFits } from '../config/paths.ts'
import { HostRefusal, PlaceTaken } from '../files/refusal.ts'

/** How long a listener may take to answer; a stopped one never does, and is alive all the same. */
const PROBE_MS = 1_000

/** Connections the kernel holds while the event loop is busy, unless told otherwise; the rest get EAGAIN. */
const DEFAULT_BACKLOG = 4_096

/** How often the name is looked at where the system has no directory watch left to give (R-05: 5 s). */
const UNWATCHED_CHECK_MS = 5_000

/** Tries for a free private name; a second is only ever needed where the path leaves room for one letter. */
const PRIVATE_NAME_TRIES = 64

/** Who is behind a socket: it answers; it accepts and does not; nobody listens; there is nothing. */
export type Probed = 'answering' | 'stopped' | 'dead' | 'absent'

/** A server at a public path. */
export interface Listening {
  readonly path: string
  /** False once the public name is gone or leads to another socket. */
  isStillOurs(): boolean
  /**
   * Gives the name back, stops accepting at once, and resolves when the last connection has ended; ending
   * those is up to the caller. A successor's socket at the path stays. Repeated, it gives the same promise.
   */
  close(): Promise<void>
}

/**
 * Asks whoever listens at `path` for `/v1/health`, for at most a second. Whatever is not plainly dead or
 * absent counts as alive: a full backlog, a closed connection and a refusal of the system are `stopped`.
 */
export function probeSocket(path: string): Promise<Probed> {
  return new Promise((resolve) => {
    const connection = createConnection(path)
    const settle = (probed: Probed) => {
      clearTimeout(deadline)
      connection.destroy()
      resolve(probed)
    }
    const deadline = setTimeout(settle, PROBE_MS, 'stopped')
    connection.once('error', (error) => {
      const code = systemErrorCode(error)
      if (code === 'ECONNREFUSED') settle('dead')
      else settle(code === 'ENOENT' ? 'absent' : 'stopped')
    })
    connection.once('data', () => settle('answering'))
    connection.once('end', () => settle('stopped'))
    connection.write('GET /v1/health HTTP/1.1\r\nhost: agentd\r\nconnection: close\r\n\r\n')
  })
}

/**
 * Puts `server` at `path`, in place of a dead socket if one stands there. The caller holds the instance lock
 * and has made sure of the directory: two callers at once on one path are not kept apart here.
 *
 * @param backlog - connections that may arrive in one turn of the event loop; beyond it clients get EAGAIN
 * @throws PlaceTaken when a daemon answers at the path, HostRefusal when anything else is there
 * @throws UsageError when the path is too long; nothing is bound
 */
export async function listenPrivately(
  server: Server,
  path: string,
  backlog = DEFAULT_BACKLOG,
): Promise<Listening> {
  requireSocketPathFits(path)
  await requireFreeName(path)
  const privatePath = privateNameBeside(path)
  await listen(server, { path: privatePath, backlog })
  try {
    chmodSync(privatePath, 0o600)
    const ours = lstatSync(privatePath, { bigint: true })
    renameSync(privatePath, path)
    return ownedListening(server, path, ours)
  } catch (error) {
    await closeServer(server)
    throw error
  }
}

/**
 * Puts `server` on a descriptor a service manager opened at `path`. The name is the manager's: it counts as
 * ours for as long as we run, and is never removed by us.
 */
export async function listenActivated(
  server: Server,
  fd: number,
  path: string,
  backlog = DEFAULT_BACKLOG,
): Promise<Listening> {
  await listen(server, { fd, backlog })
  let closed: Promise<void> | undefined
  return { path, isStillOurs: () => true, close: () => (closed ??= closeServer(server)) }
}

/**
 * Calls `onLost` once when the public name is no longer ours. Driven by the directory's events; only
 * where the system refuses a watch (inotify limits) does it look every five seconds instead.
 *
 * @returns stops watching; harmless when repeated
 */
export function watchOwnSocket(listening: Listening, onLost: () => void): () => void {
  let stopWatching: (() => void) | undefined
  let stopped = false
  const stop = () => {
    stopped = true
    stopWatching?.()
  }
  const check = () => {
    if (stopped || listening.isStillOurs()) return
    stop()
    onLost()
  }
  const checkRegularly = () => {
    const timer = setInterval(check, UNWATCHED_CHECK_MS).unref()
    stopWatching = () => clearInterval(timer)
    if (stopped) stop()
  }
  try {
    const watcher = watch(dirname(listening.path), { persistent: false }, check)
    stopWatching = () => watcher.close()
    watcher.once('error', () => {
      watcher.close()
      checkRegularly()
    })
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    checkRegularly()
  }
  // What happened before the watch stood has no event.
  setImmediate(check)
  return stop
}

async function requireFreeName(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return
  if (!found.isSocket()) throw new HostRefusal(`${path} is refused: it is not a socket; move it away.`)
  const probed = await probeSocket(path)
  if (probed === 'answering') throw new PlaceTaken(`A daemon is already serving ${path}.`)
  if (probed === 'stopped') {
    throw new HostRefusal(`A process holds ${path} and does not answer; resume it or end it first.`)
  }
}

/** A name in the same directory, no longer than the room the kernel's limit leaves. */
function privateNameBeside(path: string): string {
  const directory = dirname(path)
  const room = MAX_SOCKET_PATH_BYTES - Buffer.byteLength(join(directory, '/'))
  for (let tries = 0; tries < PRIVATE_NAME_TRIES; tries += 1) {
    const name = join(directory, `.s${randomBytes(3).toString('hex')}`.slice(-room))
    if (name !== path && !lstatSync(name, { throwIfNoEntry: false })) return name
  }
  throw new HostRefusal(`There is no free name beside ${path}; choose a shorter socket path.`)
}

function listen(server: Server, options: ListenOptions | { fd: number; backlog: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function ownedListening(server: Server, path: string, ours: BigIntStats): Listening {
  let closed: Promise<void> | undefined
  // The open listener keeps its inode, so the number cannot come back under another socket meanwhile.
  const isStillOurs = () => {
    const found = unlessRefused(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }))
    return found !== undefined && found.ino === ours.ino && found.dev === ours.dev
  }
  const closeOnce = () => {
    if (isStillOurs()) unlessRefused(() => unlinkSync(path))
    return closeServer(server)
  }
  return { path, isStillOurs, close: () => (closed ??= closeOnce()) }
}

/** A name out of our reach is not ours, and a failing clean-up must not be fatal (docs/reliability.md §1.1). */
function unlessRefused<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return undefined
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => {
      if (error && systemErrorCode(error) !== 'ERR_SERVER_NOT_RUNNING') reject(error)
      else resolve()
    })
  })
}
