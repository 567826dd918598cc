/**
 * One real round trip of a hook: by the `curl` of its line, with what the line says, or by Node as `agentd hook` does, with a
 * payload that is no event of ours.
 *
 * @see docs/runtimes.md §10 rule 10; OP-12
 */
import { spawn } from 'node:child_process'
import { callOnce } from '../../../client/http/one-call.ts'
import {
  ANSWER_SECONDS,
  HOOKS_URL,
  postWords,
  TIMED_OUT,
  type SocketCall,
} from '../../setup/files/curl-line.ts'
import { MAX_EXCHANGE_CHARS } from '../bounds.ts'
import type { DoctorFinding, Notes } from '../finding.ts'

/** JSON, and nothing that a runtime would send. */
const NO_EVENT = '{}'

/** The exit code of `curl` where nobody listens. */
const NOBODY = 7

/** What came back. */
interface Exchanged {
  /** The exit code of `curl`; undefined where it did not run. */
  readonly exit: number | undefined
  /** Of HTTP; 0 where there was none. */
  readonly status: number
  readonly tookMs: number
}

const RESTART = 'agentd stop, then agentd start'

/** How a hook reaches the daemon: by its line, or where that starts Node, by the socket itself. */
export type HookWay =
  | SocketCall
  | { readonly curl: undefined; readonly socket: string; readonly personKey: string | undefined }

/** Tells the daemon of nothing, as a hook of that runtime, and says what came of it. */
export async function exchangeFinding(notes: Notes, runtime: string, way: HookWay): Promise<DoctorFinding> {
  const exchanged = way.curl === undefined ? await exchangeByNode(runtime, way) : await exchange(runtime, way)
  return findingOf(notes, exchanged)
}

function findingOf(notes: Notes, { exit, status, tookMs }: Exchanged): DoctorFinding {
  const fail = (sentence: string, fix?: string): DoctorFinding => notes.fail('hooks-answer', sentence, fix)
  switch (status) {
    case 204:
      return notes.ok('hooks-answer', `A hook was answered within ${tookMs} ms.`)
    case 401:
      return fail(
        'Hooks are refused: the daemon asks for your key, and they show none, or another one.',
        'agentd setup',
      )
    case 404:
      return fail(
        'The daemon is older than the hooks: it does not know what they ask, so they say nothing.',
        RESTART,
      )
    default:
      break
  }
  if (exit === NOBODY) return notes.off('hooks-answer', 'No hook was tried: the daemon is not running.')
  if (exit === TIMED_OUT)
    return fail('A hook was not answered within a second: the daemon hangs, or is stopped.', RESTART)
  const what =
    status === 0
      ? exit === undefined
        ? 'it broke off'
        : `curl ended with ${exit}`
      : `the answer was ${status}, not 204`
  return fail(`A hook was not answered as it should be: ${what}.`, RESTART)
}

/** As `agentd hook` asks. */
async function exchangeByNode(
  runtime: string,
  { socket: socketPath, personKey }: Exclude<HookWay, SocketCall>,
): Promise<Exchanged> {
  const startedMs = performance.now()
  const { pathname: path } = new URL(HOOKS_URL + runtime)
  const signal = AbortSignal.timeout(ANSWER_SECONDS * 1_000)
  const call = {
    socketPath,
    method: 'POST',
    path,
    body: NO_EVENT,
    token: undefined,
    personKey,
    signal,
  } as const
  const answer = await callOnce(call)
  const tookMs = Math.round(performance.now() - startedMs)
  if (answer.kind === 'answered') return { exit: 0, status: answer.status, tookMs }
  const broke = signal.aborted ? TIMED_OUT : undefined
  return { exit: answer.kind === 'absent' ? NOBODY : broke, status: 0, tookMs }
}

function exchange(runtime: string, call: SocketCall): Promise<Exchanged> {
  const words = [...postWords(call, runtime), '-o', '/dev/null', '-w', '%{http_code}']
  const startedMs = performance.now()
  const child = spawn(call.curl, words, { stdio: ['pipe', 'pipe', 'ignore'] })
  let said = ''
  child.stdout.setEncoding('latin1').on('data', (chunk: string) => {
    said = (said + chunk).slice(0, MAX_EXCHANGE_CHARS)
  })
  // One that has ended before it read.
  child.stdin.on('error', () => {})
  child.stdin.end(NO_EVENT)
  return new Promise((resolve) => {
    const settle = (exit: number | undefined): void =>
      resolve({ exit, status: Number(said) || 0, tookMs: Math.round(performance.now() - startedMs) })
    child.once('error', () => settle(undefined))
    child.once('close', (code) => settle(code ?? undefined))
  })
}
