/**
 * `agentd hook <runtime>` as its own short way: bundled apart, so that neither it nor `agentd send` pays for
 * the other, and without what only some events need (`runtimes/hook/rest.ts`).
 *
 * Whatever happens, it ends within a second, with 0, and with nothing on stdout but one JSON object: a hook
 * that fails is the same as one that has nothing to say. The one exception is the wake, `--wait`, which ends
 * with 2 and the message on stderr.
 *
 * @see P-06; docs/runtimes.md §§0, 10
 */
import { fstatSync, readFileSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { systemErrorCode } from '../../core/thrown.ts'
import { readEnvironment, resolveSocketPath, type Environment } from '../../host/config/paths.ts'
import type { HookEvent } from '../../runtimes/events/event.ts'
import type { LoadRest } from '../../runtimes/hook/act.ts'
import type { HookPlace, Programs } from '../../runtimes/session/context.ts'
import type { HookTrace } from '../../runtimes/session/hook-trace.ts'

/** A hook as it was called. */
export interface HookInvocation {
  /** What follows `hook`. */
  readonly argv: readonly string[]
  /** `--socket`, where that stood before `hook`. */
  readonly socket?: string | undefined
  readonly programs: Programs
  /** The part of the bundle that only some events need. */
  readonly loadRest: LoadRest
}

/** Of who looks inside; most often there is nobody. */
type Trace = HookTrace | undefined

const STDIN = 0
const STDOUT = 1
const STDERR = 2

/** The wake: Claude Code starts a turn with what stands on stderr. */
const EXIT_WAKE = 2

/** A full pipe that somebody made non-blocking is tried again this often, so long apart. */
const WRITE_TRIES = 40
const WRITE_PAUSE_MS = 5

/** Of stdin at a time. */
const CHUNK_BYTES = 65_536

/** Runs the hook and ends the process. */
export async function runHook(call: HookInvocation): Promise<never> {
  let exit = 0
  let trace: Trace
  try {
    const environment = readEnvironment()
    if (environment.env['AGENTD_DEBUG']) {
      const [hint, option] = call.argv
      trace = (await call.loadRest()).rest.openHookTrace(environment, hint, option)
    }
    exit = await runWithin(call, environment, trace)
  } catch (error) {
    // A hook has nobody to complain to; `agentd doctor` finds out what is wrong, and `AGENTD_DEBUG` shows it.
    trace?.ended({ error })
  }
  process.exit(exit)
}

async function runWithin(call: HookInvocation, environment: Environment, trace: Trace): Promise<number> {
  const [, option, fileName] = call.argv
  // An error of this is the end of the hook, as any other.
  const { path } = resolveSocketPath(environment, call.socket)
  const place = { environment, socketPath: path, programs: call.programs, trace }
  if (option !== '--deliver') return answer(call, place)
  const { rest } = await call.loadRest()
  await rest.deliver(place, fileName ?? '')
  trace?.ended({ silent: 'no-wake' })
  return 0
}

/** Answers the event on stdin, within the time a hook has; `--wait` outlives it. */
async function answer({ argv: [hint, option], loadRest }: HookInvocation, place: HookPlace): Promise<number> {
  const { environment, trace } = place
  const { MAX_STDIN_BYTES, TOTAL_MS, runningMs } = await import('../../runtimes/events/process-budget.ts')
  const giveUp = (): never => {
    trace?.ended({ silent: 'out-of-time' })
    process.exit(0)
  }
  const outOfTime = setTimeout(giveUp, Math.max(1, TOTAL_MS - runningMs()))
  // Read while the rest is loaded.
  const reading = readStdin(MAX_STDIN_BYTES)
  const { answerEvent, readPayload } = await import('../../runtimes/hook/run.ts')
  const event = readPayload(await reading, hint, environment)
  if (event === undefined) {
    trace?.ended({ silent: 'not-understood' })
    return 0
  }
  if (option === '--wait') {
    clearTimeout(outOfTime)
    return waitForWake(event, place, loadRest)
  }
  const outcome = await answerEvent(event, place, loadRest)
  const isTaken = await tell(outcome)
  trace?.ended(isTaken ? outcome.end : { silent: 'reader-gone' })
  return 0
}

/** Waits for something urgent, and wakes the session by what it writes to stderr and ends with. */
async function waitForWake(event: HookEvent, place: HookPlace, loadRest: LoadRest): Promise<number> {
  const { rest } = await loadRest()
  const wake = await rest.waitToWake(event, place)
  if (wake === undefined || !writeWhole(STDERR, wake.text)) {
    place.trace?.ended({ silent: wake === undefined ? 'no-wake' : 'reader-gone' })
    return 0
  }
  await wake.settle()
  place.trace?.ended({ said: ['context'] })
  return EXIT_WAKE
}

/** What there is to say, and to do afterwards. */
interface Said {
  readonly text: string | undefined
  readonly settle: () => Promise<void>
  readonly release: () => void
}

/** @returns false when nobody took it */
async function tell({ text, settle, release }: Said): Promise<boolean> {
  try {
    // What was not written was not seen.
    const isTaken = text === undefined || writeWhole(STDOUT, text)
    if (isTaken) await settle()
    return isTaken
  } finally {
    release()
  }
}

/** @returns what there is; an empty text for a terminal, for nothing, and for more than a hook reads */
async function readStdin(maxBytes: number): Promise<string> {
  const found = fstatSync(STDIN)
  if (found.isFile()) return found.size > maxBytes ? '' : readFileSync(STDIN, 'utf8')
  if (!found.isFIFO() && !found.isSocket()) return ''
  const chunks: Buffer[] = []
  let length = 0
  const take = (read: number, buffer: Uint8Array): boolean => {
    length += read
    // Read on to the end all the same: a runtime whose pipe breaks may take it for an error.
    if (length <= maxBytes) chunks.push(Buffer.from(buffer.subarray(0, read)))
    return true
  }
  // Not `process.stdin`, which costs more to set up than to read, and not `fs.read`, which would hold up the end
  // of the process when nobody ends the input.
  await new Promise<void>((resolve) => {
    const onread = { buffer: Buffer.allocUnsafe(CHUNK_BYTES), callback: take }
    // Taken by the constructor, though the types know of it only for `connect`.
    const options = { fd: STDIN, readable: true, writable: false, onread }
    const input = new Socket(options)
    input.resume()
    input.once('error', () => resolve())
    input.once('end', () => resolve())
    input.once('close', () => resolve())
  })
  return length > maxBytes ? '' : Buffer.concat(chunks).toString('utf8')
}

/** @returns false when the reader has gone, or takes nothing any more */
function writeWhole(stream: number, text: string): boolean {
  let rest = Buffer.from(text)
  for (let tries = 0; rest.length > 0 && tries < WRITE_TRIES;) {
    try {
      rest = rest.subarray(writeSync(stream, rest))
    } catch (error) {
      if (systemErrorCode(error) !== 'EAGAIN') return false
      tries += 1
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WRITE_PAUSE_MS)
    }
  }
  return rest.length === 0
}
