/**
 * `agentd hook <runtime>` as its own short way: an event on stdin to the daemon, and what it answers to stdout.
 *
 * Set-up has `curl` do this for all events but a session's start, which only a child of the runtime can tell all of, and
 * which starts the daemon where there is none (OP-02). Whatever happens, it ends within a second, with 0, and with nothing
 * on stdout but one JSON object: a hook that fails is the same as one that has nothing to say. The one exception is the
 * wake, `--wait`, which ends with 2 and the message on stderr.
 *
 * @see P-06; docs/runtimes.md §§0, 10
 */
import { callOnce, type OneAnswer } from '../../client/http/one-call.ts'
import { readEnvironment, readPersonKey, resolveSocketPath } from '../../host/config/paths.ts'
import { SURROUNDINGS_HEADER } from '../../protocol/http/headers.ts'
import type { HookPlace } from './hook-place.ts'
import { readHookPayload, writeAnswer } from './hook-streams.ts'

/** A hook as it was called. */
export interface HookInvocation {
  /** What follows `hook`. */
  readonly argv: readonly string[]
  /** `--socket`, where that stood before `hook`. */
  readonly socket?: string | undefined
  /** The daemon as it was built, absolute. */
  readonly daemon: string
}

/** A whole hook, from the start of the process: whatever it was doing, it ends. A tenth is left for ending. */
export const TOTAL_MS = 900

/** How long a start of the daemon is waited for, within {@link TOTAL_MS}. It goes on coming up by itself. */
const START_MS = 600

/** Left for the question once the daemon is there. */
const AFTERWARDS_MS = 150

const STDOUT = 1

/** Runs the hook and ends the process. */
export async function runHook(call: HookInvocation): Promise<never> {
  let exit = 0
  try {
    const environment = readEnvironment()
    // An error of this is the end of the hook, as any other.
    const { path: socketPath } = resolveSocketPath(environment, call.socket)
    const [runtime = '', option] = call.argv
    if (option === '--wait') {
      const { waitForWake } = await import('./wait-fast.ts')
      exit = await waitForWake({ environment, runtime, socketPath })
    } else await ask(call, { environment, runtime, socketPath })
  } catch {
    // A hook has nobody to complain to; `agentd doctor` finds out what is wrong.
  }
  process.exit(exit)
}

async function ask({ daemon }: HookInvocation, place: HookPlace): Promise<void> {
  const outOfTime = setTimeout(() => process.exit(0), Math.max(1, TOTAL_MS - runningMs()))
  // Read while the rest is loaded.
  const reading = readHookPayload()
  const { isSessionStart, tellSurroundings } = await import('../../runtimes/told.ts')
  const payload = await reading
  if (payload === '') return
  const { environment, runtime } = place
  const isStart = isSessionStart(payload)
  const surroundings = tellSurroundings(runtime, environment, isStart)
  let answer = await post(place, payload, surroundings)
  // A daemon that is not there is started by a session's start, and by nothing else a hook does.
  if (answer.kind === 'absent' && isStart && (await startDaemonFor(place, daemon)))
    answer = await post(place, payload, surroundings)
  if (answer.kind === 'answered' && answer.status === 200) writeAnswer(STDOUT, answer.text)
  clearTimeout(outOfTime)
}

function post(
  { environment, runtime, socketPath }: HookPlace,
  body: string,
  surroundings: string | undefined,
): Promise<OneAnswer> {
  return callOnce({
    socketPath,
    method: 'POST',
    path: `/v1/hooks/${encodeURIComponent(runtime)}`,
    body,
    token: undefined,
    personKey: readPersonKey(environment),
    ...(surroundings !== undefined && { headers: { [SURROUNDINGS_HEADER]: surroundings } }),
  })
}

/** In the background, and never waited for beyond a hook's own time. @returns whether it serves */
async function startDaemonFor({ environment, socketPath }: HookPlace, entry: string): Promise<boolean> {
  const timeoutMs = Math.min(START_MS, TOTAL_MS - AFTERWARDS_MS - runningMs())
  if (environment.env['AGENTD_NO_START'] || timeoutMs <= 0) return false
  const { startOwnDaemon } = await import('../run/start-daemon.ts')
  const env = { AGENTD_SOCKET: socketPath }
  return (await startOwnDaemon({ environment, entry, env, timeoutMs })).kind === 'ready'
}

/** How long this process has been running; the first use of `performance` loads seven modules. */
function runningMs(): number {
  return process.uptime() * 1_000
}
