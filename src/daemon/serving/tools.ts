/**
 * What serves the tools of agent runtimes, with all that it is made with: a file that is loaded when the first connection
 * comes, and bundled apart, so that neither the daemon's start nor its idle memory has any of it.
 */
import { connectWith } from '../../client/client.ts'
import type { Clock } from '../../core/clock.ts'
import type { ClientParts } from '../../client/http/connection.ts'
import { findCheckout, type Checkout } from '../../host/repository.ts'
import { isForebear } from '../../host/process/ancestry.ts'
import { Semaphore } from '../../mcp/session/semaphore.ts'
import { serveMcp } from '../../mcp/serve.ts'
import { mcpHosts } from '../../runtimes/mcp-hosts.ts'
import type { McpConnectionRequest, McpPlace } from '../../server/request/context.ts'
import type { McpConnectionsParts } from './mcp-parts.ts'

/** Calls under way over all connections together. */
const MAX_CALLS_OF_ALL = 256

/** How long the repository of a caller is looked for, in milliseconds. */
const REPOSITORY_MS = 300

/** What is known of the sessions that hooks have registered. */
type HookedSessions = Pick<Parameters<typeof serveMcp>[0], 'findHooked' | 'carriesOn'>

/** Who knows them. */
type Desk = Awaited<ReturnType<McpConnectionsParts['hooks']['get']>>

/** Serves one connection after another, and many at once. */
export function createTools(parts: McpConnectionsParts): McpPlace['serve'] {
  const { clock, hooks, inner, log, personKey, socketPath, version } = parts
  const sentence = `At most ${MAX_CALLS_OF_ALL} calls of all sessions may be under way; call again.`
  const allCalls = new Semaphore(MAX_CALLS_OF_ALL, sentence)
  return async ({
    input,
    output,
    holds,
    closing,
    surroundings,
    verbs,
    as,
    peerPid,
  }: McpConnectionRequest) => {
    const desk = await hooks.get()
    const { cwd, pid, env } = surroundings
    const dial = () => inner.dial(peerPid)
    const client: ClientParts = { clock, random: Math.random, readPersonKey: () => personKey, dial }
    return serveMcp({
      ...hookedSessions(desk),
      foreign: () => desk.foreign.wish,
      foreignOf: (eventId) => desk.foreign.handleOf(eventId),
      hookedHere: hookedHere(desk, { pid, peerPid }),
      input,
      output,
      version,
      verbs,
      clock,
      allCalls,
      hosts: mcpHosts(env),
      place: { cwd, pid, repositoryId: await repositoryOf(cwd, clock) },
      reach: () => connectWith(client, { socket: socketPath, as }),
      pipe: { closing, holds },
      onTrouble: (message) => log.warn('mcp', { message }),
    })
  }
}

/** What the repository around a directory is called; a disk that does not answer in time says nothing (OP-10). */
function repositoryOf(cwd: string | undefined, clock: Clock): Promise<string | undefined> {
  if (cwd?.startsWith('/') !== true) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const timer = clock.after(REPOSITORY_MS, () => resolve(undefined))
    const tell = (checkout?: Checkout): void => {
      timer.cancel()
      resolve(checkout?.repositoryId)
    }
    void findCheckout(cwd).then(tell, () => tell())
  })
}

function hookedSessions(desk: Desk): HookedSessions {
  return {
    findHooked: (runtime, sessionId) => {
      const found = desk.hooked(runtime, sessionId)
      return found && { token: found.token, leaseKeys: found.leaseKeys() }
    },
    carriesOn: (address, predecessor) => desk.carriesOn(address, predecessor),
  }
}

/**
 * The sessions in whose process the pipe was started, however many shells stand between them.
 *
 * @param peerPid - of the pipe, as the kernel says; where it does not, the pid that the pipe says is its parent's counts
 */
function hookedHere(
  desk: Desk,
  { pid, peerPid }: { pid: number | undefined; peerPid: number | undefined },
): (runtime: string) => readonly string[] {
  // A process is looked at once: what it stands behind does not change while the pipe lives.
  const looked = new Map<number, boolean>()
  const isThere = (one: number): boolean => {
    const known = looked.get(one) ?? (peerPid === undefined ? one === pid : isForebear(one, peerPid))
    looked.set(one, known)
    return known
  }
  return (runtime) => desk.hookedIn(runtime, isThere)
}
