/**
 * The bridge of one link as a process: started with what it needs on its standard input, started again when it ends, and
 * gone with the daemon.
 *
 * The end of its standard input ends it, so that it never outlives a daemon that was killed.
 *
 * @see FED-07, FED-14
 */
import { spawn, type ChildProcess } from 'node:child_process'
import type { Clock, Timer } from '../../core/clock.ts'
import { firstOctets } from '../../core/text/octets.ts'

/** How long after its end it is started again: doubled with every end, in milliseconds. */
export const FIRST_BACK_OFF_MS = 1_000
export const MAX_BACK_OFF_MS = 60_000

/** As long as it ran well it begins anew with the first of them. */
const WELL_MS = 60_000

/** How long it may take to end, in milliseconds; then it is killed. */
const LEAVE_MS = 3_000

/** The exit code of a bridge that lacks what it needs, as sysexits.h has it for a configuration. */
export const EXIT_CONFIG = 78

/** Characters that are kept of what it says last. */
const MAX_SAID = 4_096

/** How it is run. */
export interface BridgeProgram {
  readonly nodePath: string
  readonly entry: string
  readonly env: Readonly<Record<string, string | undefined>>
}

interface SupervisorParts extends BridgeProgram {
  readonly clock: Clock
  /** One line of JSON, with a secret in it. */
  readonly errand: () => string
  /** Told of each line it says. */
  readonly said: (line: string) => void
  /** Told that it has ended, and why in words. `isHopeless`: it lacks something that a new start does not bring. */
  readonly ended: (why: string, isHopeless: boolean) => void
}

export class Supervisor {
  readonly #parts: SupervisorParts
  #child: ChildProcess | undefined
  #backOffMs = FIRST_BACK_OFF_MS
  /** Set between an end and the next start; cleared by either. */
  #restart: Timer | undefined
  #isStopped = false
  #gone: Promise<void> = Promise.resolve()

  constructor(parts: SupervisorParts) {
    this.#parts = parts
  }

  start(): void {
    if (this.#isStopped) return
    const { clock, entry, env, errand, nodePath } = this.#parts
    const startedAtMs = clock.monotonicMs()
    const child = spawn(nodePath, [entry], { cwd: '/', env, stdio: ['pipe', 'ignore', 'pipe'] })
    this.#child = child
    const words = this.#listenTo(child)
    this.#gone = new Promise((resolve) => {
      let isOver = false
      const over = (code: number | null, why: string): void => {
        if (isOver) return
        isOver = true
        this.#child = undefined
        resolve()
        this.#over({ code, why: words() || why, ranMs: clock.monotonicMs() - startedAtMs })
      }
      child.once('error', (error) => over(null, error.message))
      // What it said last may still be in the pipe.
      child.once('close', (code, signal) => over(code, `it ended with ${signal ?? `code ${code}`}`))
    })
    // It may be gone before it has read.
    child.stdin?.on('error', () => {})
    child.stdin?.write(`${errand()}\n`)
  }

  /** Ends it, and starts none any more. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#restart?.cancel()
    const child = this.#child
    if (child === undefined) return
    child.stdin?.end()
    const cut = this.#parts.clock.after(LEAVE_MS, () => child.kill('SIGKILL'))
    await this.#gone.finally(() => cut.cancel())
  }

  #over({ code, why, ranMs }: { code: number | null; why: string; ranMs: number }): void {
    if (this.#isStopped) return
    const isHopeless = code === EXIT_CONFIG
    if (ranMs >= WELL_MS) this.#backOffMs = FIRST_BACK_OFF_MS
    const delayMs = isHopeless ? MAX_BACK_OFF_MS : this.#backOffMs
    this.#backOffMs = Math.min(2 * this.#backOffMs, MAX_BACK_OFF_MS)
    this.#restart = this.#parts.clock.after(delayMs, () => this.start())
    this.#parts.ended(why, isHopeless)
  }

  /** @returns its last line, when it is over */
  #listenTo(child: ChildProcess): () => string {
    let rest = ''
    let last = ''
    const say = (line: string): void => {
      if (line.trim() === '') return
      last = firstOctets(line.trim(), 1_024)
      this.#parts.said(last)
    }
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = `${rest}${chunk}`.split('\n')
      rest = (lines.pop() ?? '').slice(-MAX_SAID)
      for (const line of lines) say(line)
    })
    child.stderr?.on('error', () => {})
    return () => {
      say(rest)
      rest = ''
      return last
    }
  }
}
