/**
 * The way to a daemon that serves: the one that is there, or one that is started for the purpose.
 *
 * @see docs/http.md §11
 */
import { setTimeout as pause } from 'node:timers/promises'
import { safeLine } from '../../core/text/safe-text.ts'
import { AgentdUnreachable, connect, type AgentdClient, type Participant } from '../../client/index.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import { DAEMON_ENTRY } from '../../host/package.ts'
import { resolveSocketPath } from '../../host/config/paths.ts'
import type { CommandContext } from './command-context.ts'
import { FIRST_ANSWER_MS, SOON_MS } from './patience.ts'

/** How long another daemon that has the place gets to listen, and how often to look, in milliseconds. */
const OTHER_READY_MS = 5_000
const LOOK_EVERY_MS = 20

/** There is none, and none could be started. */
class DaemonNotStarted extends AgentdUnreachable {
  /** The daemon's own reason: to be told to start it would help nobody who just tried. */
  override readonly message: string

  constructor(socketPath: string, reason: string) {
    super(socketPath, reason)
    this.message = `agentd could not be started: ${reason}`
  }
}

/** What a start needs of a command; where it has an output, that tells what is kept in memory only. */
type Starting = Pick<CommandContext, 'environment' | 'socket'> &
  Partial<Pick<CommandContext, 'as' | 'output'>>

/**
 * Connects, after starting the daemon where that is allowed and needed.
 *
 * @throws AgentdUnreachable when it is not there and may not, or could not, be started
 */
export async function reachDaemon(
  context: Pick<CommandContext, 'mayStart'> & Starting,
  answerMs = FIRST_ANSWER_MS,
): Promise<AgentdClient> {
  try {
    return await connect({ socket: context.socket, answerMs, as: context.as })
  } catch (error) {
    // One that is there and silent has the place: another cannot start.
    if (!(error instanceof AgentdUnreachable) || error.isSilent || !context.mayStart) throw error
    return startAndConnect(context)
  }
}

/**
 * Starts the daemon in the background and connects to it, or to the one that was faster.
 *
 * @throws DaemonNotStarted with the daemon's own reason; HostRefusal where the place or the configuration, or the place for
 *   its log, must not be used as it is
 */
export async function startAndConnect({ environment, socket, as, output }: Starting): Promise<AgentdClient> {
  // Most commands find one that runs.
  const { startOwnDaemon } = await import('./start-daemon.ts')
  const { path } = resolveSocketPath(environment, socket)
  const started = await startOwnDaemon({
    environment,
    entry: DAEMON_ENTRY,
    env: socket === undefined ? {} : { AGENTD_SOCKET: path },
  })
  if (started.kind === 'ready') {
    const client = await connect({ socket, answerMs: FIRST_ANSWER_MS, as })
    if (output !== undefined) await tellOfMemory(client, output)
    return client
  }
  if (started.kind === 'taken') return connectSoon(path, as)
  if (started.kind === 'refused') throw new HostRefusal(started.message)
  throw new DaemonNotStarted(path, started.message)
}

/**
 * Does something as the session of the token, or as the principal, and closes what that opened.
 *
 * @param answerMs - how long a daemon that is there may take for its first answer
 */
export async function asParticipant<T>(
  context: CommandContext,
  work: (participant: Participant, client: AgentdClient) => Promise<T>,
  answerMs?: number,
): Promise<T> {
  const client = await reachDaemon(context, answerMs)
  try {
    return await work(context.token === undefined ? client : await client.attach(context.token), client)
  } finally {
    await client.close()
  }
}

/** Who starts a daemon that will forget is told at once, and what helps; nothing where it was configured so. */
async function tellOfMemory(client: AgentdClient, output: CommandContext['output']): Promise<void> {
  if (output.json || output.quiet) return
  const { details } = await client.health()
  for (const detail of details)
    if (detail.startsWith('Frames are kept in memory')) output.note(safeLine(detail))
}

async function connectSoon(path: string, as: string | undefined): Promise<AgentdClient> {
  const deadlineMs = performance.now() + OTHER_READY_MS
  for (;;) {
    try {
      return await connect({ socket: path, answerMs: SOON_MS, as })
    } catch (error) {
      const isAbsent = error instanceof AgentdUnreachable && !error.isSilent
      if (!isAbsent || performance.now() > deadlineMs) throw error
    }
    await pause(LOOK_EVERY_MS)
  }
}
