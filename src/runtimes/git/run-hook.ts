/**
 * A hook of git at work. It has nothing to say to git: whatever goes wrong, the commit goes on.
 *
 * @see docs/runtimes.md §5.4
 */
import type { OneCall } from '../../client/http/one-call.ts'
import { readPersonKey, resolveSocketPath, type Environment } from '../../host/config/paths.ts'
import { callDaemon } from './daemon-call.ts'
import { findGitEvent, type GitEvent, type GitHookCall } from './events.ts'
import { findSessionToken } from './session-of.ts'
import { addTrailers } from './trailers.ts'

/** Where the hook runs. */
export interface HookSurroundings {
  readonly environment: Environment
  /** The `--socket` flag. */
  readonly socket: string | undefined
  readonly directory: string
}

/**
 * How long a session's commit waits for the daemon before its trailers, and for git to write them. A daemon that is there
 * answers within milliseconds; on a machine that is busy a fifth of a second was too short, and the commit went without.
 */
const IDENTITY_MS = 1_000
const TRAILERS_MS = 1_000

/** Nobody waits for an event, which is told in the background. */
const EVENT_MS = 2_000

/** Does what the hook is for, within its time. @throws what a defect throws; the caller keeps it from git */
export async function answerGitHook(
  call: GitHookCall,
  { environment, socket, directory }: HookSurroundings,
): Promise<void> {
  const { path: socketPath } = resolveSocketPath(environment, socket)
  const personKey = readPersonKey(environment)
  const isAwaited = call.name === 'prepare-commit-msg'
  const lookUp = AbortSignal.timeout(isAwaited ? IDENTITY_MS : EVENT_MS)
  const asking = { environment, socketPath, personKey, signal: lookUp }
  const token = await findSessionToken(asking)
  if (isAwaited) {
    if (token === undefined) return
    const committer = { socketPath, token, signal: AbortSignal.timeout(IDENTITY_MS) }
    const git = { environment, directory, signal: AbortSignal.timeout(TRAILERS_MS) }
    await addTrailers(call.args, committer, git)
    return
  }
  const signal = AbortSignal.timeout(EVENT_MS)
  const event = await findGitEvent(call, { environment, directory, signal })
  if (event === undefined) return
  await publish(event, { socketPath, token, signal, personKey })
}

async function publish(
  event: GitEvent,
  way: Pick<OneCall, 'socketPath' | 'token' | 'personKey'> & { readonly signal: AbortSignal },
): Promise<void> {
  const call = { ...way, method: 'POST', path: '/v1/verbs/agent_broadcast', body: { ...event } } as const
  const { status } = await callDaemon(call)
  // The session has ended meanwhile; what happened, happened all the same.
  if (status === 401 && way.token !== undefined) await callDaemon({ ...call, token: undefined })
}
