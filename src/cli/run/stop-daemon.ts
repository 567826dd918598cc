/**
 * Asking the daemon to end, and waiting until it is gone.
 *
 * No number that a peer names is ever signalled: `-1` would be everything this user runs (HD-20).
 */
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { AgentdError } from '../../core/errors.ts'
import { systemErrorCode } from '../../core/thrown.ts'
import { callAndHold } from '../../client/http/one-call.ts'
import { AgentdUnreachable, connect, type AgentdClient } from '../../client/index.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import { requireOwnSocket } from '../../host/socket/own-socket.ts'
import { loadPeerCredentials } from '../../host/socket/peer-credentials.ts'
import { describeSilence, findOwner } from '../../host/process/instance-owner.ts'
import { processStartTime } from '../../host/process/processes.ts'
import type { CommandContext } from './command-context.ts'
import { KILLED_MS, SOON_MS } from './patience.ts'

/** The daemon gives its readers two seconds; a loaded machine gets some more. */
const GONE_MS = 10_000

/** Between its last connection and its end there are only milliseconds, and no event to wait for. */
const LOOK_EVERY_MS = 10

/** Nobody may ask, as under `auth: session`; or the daemon is of before it could be asked. */
const NOT_TAKEN: ReadonlySet<string> = new Set(['unauthenticated', 'not-found'])

/** What became of it. */
type Stopped =
  | { readonly kind: 'absent' }
  | { readonly kind: 'gone'; readonly pid: number }
  /** It did not answer, and was killed. */
  | { readonly kind: 'killed'; readonly pid: number }
  /** It was asked, and is still there. */
  | { readonly kind: 'late'; readonly pid: number; readonly socketPath: string; readonly message: string }

/**
 * As {@link stopDaemon}; one that does not answer, or does not go, is killed where it is certain which process it is (OP-29).
 *
 * @throws HostRefusal where that is not certain
 */
export async function stopByForce(context: CommandContext): Promise<Stopped> {
  try {
    const stopped = await stopDaemon(context)
    return stopped.kind === 'late' ? await killOwner(stopped.socketPath) : stopped
  } catch (error) {
    if (error instanceof AgentdUnreachable && error.isSilent) return killOwner(error.socketPath)
    throw error
  }
}

/**
 * @throws HostRefusal where it does not take the order, and nobody says which process it is; AgentdUnreachable where it does
 *   not answer
 */
export async function stopDaemon(context: CommandContext): Promise<Stopped> {
  const client = await findDaemon(context)
  if (client === undefined) return { kind: 'absent' }
  const { socketPath } = client
  const { pid } = await client.health()
  const startTime = processStartTime(pid)
  // Whether the process is still the one that started then.
  const isAlive = () => startTime !== undefined && processStartTime(pid) === startTime
  // It rests between two requests, and the daemon closes it when it stops listening.
  const held = await callAndHold({ socketPath, method: 'GET', path: '/v1/health', token: undefined })
  await end(client, context)
  await client.close()
  const isGone = await within(GONE_MS, async (isOver) => {
    await held.closed
    while (isAlive() && !isOver()) await pause(LOOK_EVERY_MS)
  })
  held.release()
  if (isGone) return { kind: 'gone', pid }
  const message = `The daemon (pid ${pid}) has not ended within ${GONE_MS / 1_000} seconds; "agentd stop --force" kills it.`
  return { kind: 'late', pid, socketPath, message }
}

/** Kills the process that holds the instance lock, by the word it wrote beside its socket: its number and start time. */
async function killOwner(socketPath: string): Promise<Stopped> {
  requireOwnSocket(socketPath)
  const owner = findOwner(socketPath)
  if (owner === undefined) {
    const { what, fix } = describeSilence(socketPath)
    throw new HostRefusal(`${what}. To end it: ${fix}.`)
  }
  const { pid, startTime } = owner
  signal(pid, 'SIGKILL')
  const isGone = await within(KILLED_MS, async (isOver) => {
    while (processStartTime(pid) === startTime && !isOver()) await pause(LOOK_EVERY_MS)
  })
  if (isGone) return { kind: 'killed', pid }
  const message = `The daemon (pid ${pid}) was killed, and the system has not let it go within ${KILLED_MS / 1_000} second.`
  return { kind: 'late', pid, socketPath, message }
}

/** The one that runs; undefined where none does. It is never started. @throws AgentdUnreachable for one that is silent */
export async function findDaemon({ socket }: CommandContext): Promise<AgentdClient | undefined> {
  try {
    return await connect({ socket, answerMs: SOON_MS })
  } catch (error) {
    if (error instanceof AgentdUnreachable && !error.isSilent) return undefined
    throw error
  }
}

/** Where it cannot be asked, it is told by the signal that service managers use. */
async function end(client: AgentdClient, context: CommandContext): Promise<void> {
  try {
    await client.stop()
  } catch (error) {
    if (!(error instanceof AgentdError) || !NOT_TAKEN.has(error.code)) throw error
    signal(await findListener(client.socketPath, context), 'SIGTERM')
  }
}

/** The process that listens, as the kernel names it. @throws HostRefusal where it does not */
async function findListener(path: string, { environment }: CommandContext): Promise<number> {
  requireOwnSocket(path)
  const findPeer = await loadPeerCredentials(environment.platform)
  const socket = createConnection(path)
  try {
    await once(socket, 'connect')
    const peer = findPeer?.(socket)
    if (peer?.pid !== undefined && peer.uid === environment.uid) return peer.pid
  } finally {
    socket.destroy()
  }
  throw new HostRefusal(
    'The daemon does not take the order, and the kernel does not say which process it is; end it where it was started.',
  )
}

/** That it is gone already is what was wanted. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (systemErrorCode(error) !== 'ESRCH') throw error
  }
}

/** @returns whether the work was done within the bound */
async function within(boundMs: number, work: (isOver: () => boolean) => Promise<void>): Promise<boolean> {
  let isOver = false
  const bound = new AbortController()
  const late = pause(boundMs, false, { signal: bound.signal }).catch(() => false)
  try {
    return await Promise.race([work(() => isOver).then(() => true), late])
  } finally {
    isOver = true
    bound.abort()
  }
}
