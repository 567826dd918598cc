/**
 * A program that runs in our place on the terminal, with our stdin, stdout and stderr, and signals passed on to it.
 *
 * @see flock(1), sh(1) "EXIT STATUS"
 */
import { spawn } from 'node:child_process'
import { isatty } from 'node:tty'
import { quoted } from '../../core/text/quoted.ts'
import { messageOf, systemErrorCode } from '../../core/thrown.ts'
import { signalCode } from '../run/child-code.ts'

/** How it ended. */
export interface ChildEnd {
  /** As a shell counts: its own code, or 128 and the number of the signal that ended it. */
  readonly code: number
  /** Why it could not be started, as a sentence. */
  readonly fault: string | undefined
}

/** A shell's words for what cannot be started: there is none, or it is none that may be run. */
const NOT_FOUND = 127
const NOT_EXECUTABLE = 126

/** What the system says of it, in words. */
const STARTING_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such program',
  EACCES: 'it is nothing that you may run',
}

/** A terminal gives these to the program as well as to us, and twice is another word than once. */
const FROM_KEYS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT']
const FROM_OTHERS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2']

/**
 * Signals that are for the program from the moment this is made: until it runs they are kept, and end the matter.
 */
export class PassedSignals {
  readonly #handlers = new Map<NodeJS.Signals, () => void>()
  #kill: ((signal: NodeJS.Signals) => void) | undefined
  /** The first one that came before the program did; undefined while none has. */
  #early: NodeJS.Signals | undefined

  constructor() {
    const isAtTerminal = [0, 1, 2].some((stream) => isatty(stream))
    for (const signal of FROM_OTHERS) this.#take(signal, () => this.#pass(signal))
    for (const signal of FROM_KEYS)
      this.#take(signal, () => {
        if (this.#kill === undefined || !isAtTerminal) this.#pass(signal)
      })
  }

  get early(): NodeJS.Signals | undefined {
    return this.#early
  }

  /** From now on they go to the program. */
  to(kill: (signal: NodeJS.Signals) => void): void {
    this.#kill = kill
  }

  release(): void {
    for (const [signal, handler] of this.#handlers) process.off(signal, handler)
    this.#handlers.clear()
  }

  #take(signal: NodeJS.Signals, handler: () => void): void {
    this.#handlers.set(signal, handler)
    process.on(signal, handler)
  }

  #pass(signal: NodeJS.Signals): void {
    if (this.#kill === undefined) this.#early ??= signal
    else this.#kill(signal)
  }
}

/** Runs it to its end, however long that takes: whoever started it ends it, and signals reach it. */
export async function runChild(command: readonly string[], signals: PassedSignals): Promise<ChildEnd> {
  if (signals.early !== undefined) return { code: signalCode(signals.early), fault: undefined }
  const [program = '', ...args] = command
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'inherit' })
    signals.to((signal) => void child.kill(signal))
    child.once('error', (error) => {
      const system = systemErrorCode(error) ?? ''
      const why = STARTING_FAULTS[system] ?? messageOf(error)
      const fault = `${quoted(program)} cannot be started: ${why}.`
      resolve({ code: system === 'ENOENT' ? NOT_FOUND : NOT_EXECUTABLE, fault })
    })
    child.once('exit', (code, signal) => {
      resolve({ code: code ?? signalCode(signal), fault: undefined })
    })
  })
}
