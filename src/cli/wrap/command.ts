/**
 * A program between our stdin and our stdout, with a copy kept of what passes, within a bound.
 */
import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { MAX_ENVELOPE_OCTETS } from '../../core/limits.ts'
import { signalCode } from '../run/child-code.ts'

/** What passed one way. */
export interface Captured {
  /** Undefined when it was more than is kept. */
  readonly bytes: Buffer | undefined
  readonly octets: number
}

/** How the program ran. */
export interface WrappedRun {
  /** Its exit code, as a shell counts: 128 and the number of a signal, 127 when it could not be started. */
  readonly code: number
  readonly signal: NodeJS.Signals | null
  readonly output: Captured
  /** Why it could not be started, as a sentence. */
  readonly fault: string | undefined
}

/** How a program is run. */
export interface WrapOptions {
  /** Whether its output goes to our stdout, octet for octet, as it comes. */
  readonly passesOutput: boolean
  /** Called once: when stdin has ended, or the program before it. */
  readonly onRequest: (input: Captured) => void
}

const NOT_STARTED = 127

/** How long the rest of stdin is waited for when no program reads it; a pipe may be held open for ever. */
const REST_MS = 5_000

/** A copy of what passes; a payload with more than this has no room in an envelope. */
class Copy {
  #chunks: Buffer[] = []
  #octets = 0

  add(chunk: Buffer): void {
    this.#octets += chunk.length
    if (this.#octets > MAX_ENVELOPE_OCTETS) this.#chunks = []
    else this.#chunks.push(chunk)
  }

  get captured(): Captured {
    const isWhole = this.#octets <= MAX_ENVELOPE_OCTETS
    return { bytes: isWhole ? Buffer.concat(this.#chunks) : undefined, octets: this.#octets }
  }
}

/** Runs it to its end. Ctrl-C is the program's to handle; SIGTERM is handed on. */
export async function runWrapped(command: readonly string[], options: WrapOptions): Promise<WrappedRun> {
  const [program = '', ...args] = command
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const input = new Copy()
  const output = new Copy()
  let tell = (): void => {
    tell = () => {}
    options.onRequest(input.captured)
  }
  // Whoever stops reading, of the two, is not our trouble.
  child.stdin.on('error', () => {})
  process.stdin.on('data', (chunk: Buffer) => input.add(chunk))
  process.stdin.once('end', () => tell())
  process.stdin.pipe(child.stdin)
  child.stdout.on('data', (chunk: Buffer) => output.add(chunk))
  if (options.passesOutput) passOn(child.stdout)
  const hand = (): void => void child.kill('SIGTERM')
  process.on('SIGINT', stay).on('SIGTERM', hand)
  const ended = await new Promise<Pick<WrappedRun, 'code' | 'signal' | 'fault'>>((resolve) => {
    child.once('error', (error) => {
      resolve({ code: NOT_STARTED, signal: null, fault: `The command cannot be started: ${error.message}.` })
    })
    child.once('close', (code, signal) =>
      resolve({ code: code ?? signalCode(signal), signal, fault: undefined }),
    )
  })
  process.off('SIGINT', stay).off('SIGTERM', hand)
  // What was asked is recorded all the same, so it is read first.
  if (ended.fault !== undefined) await readToEnd()
  // A program that has not read everything leaves the rest unread.
  process.stdin.unpipe().destroy()
  tell()
  return { ...ended, output: output.captured }
}

/** Taken from the terminal by the program as well, which says what comes of it. */
function stay(): void {}

/** Resolves when stdin has ended. A person who is still to type is not waited for. */
function readToEnd(): Promise<void> {
  const { stdin } = process
  if (stdin.isTTY || stdin.readableEnded || stdin.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, REST_MS)
    const finish = (): void => {
      clearTimeout(timer)
      resolve()
    }
    stdin.once('end', finish).once('error', finish)
    // The pipe to a program that is not there would hold it back.
    stdin.unpipe().resume()
  })
}

function passOn(stdout: Readable): void {
  // A reader that went away: the program learns of it as it would without us.
  process.stdout.on('error', () => stdout.destroy())
  stdout.pipe(process.stdout, { end: false })
}
