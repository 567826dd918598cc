/**
 * One process for each item that passes: so many at a time, the others waiting in their order, all within bounds.
 *
 * What an item says is never a word of the command: it comes on stdin, and who sent it in variables.
 *
 * @see docs/commands.md "A command for each"
 */
import { spawn, type ChildProcess } from 'node:child_process'
import type { Clock, Timer } from '../../core/clock.ts'
import { systemErrorCode } from '../../core/thrown.ts'
import { formatCount } from '../../core/text/counts.ts'

/** Commands at a time, at the most. */
export const MAX_JOBS = 16

/** Items that wait for a command; what passes while as many wait is left out, and told. */
export const MAX_WAITING = 256

/** Octets of what waits, together. */
export const MAX_WAITING_OCTETS = 8 * 1_024 * 1_024

/** How long one command may run, in milliseconds; an hour. */
export const MAX_RUN_MS = 3_600_000

/** How long the commands that run are waited for at the end, in milliseconds. */
export const FINISH_MS = 10_000

/** How long one that was asked to end may take for it, in milliseconds. */
export const KILL_AFTER_MS = 2_000

/** One item, as a command is handed it. */
export interface Task {
  /** What it is, in words: `question of cc-otter`. */
  readonly label: string
  /** Variables beside those that every command gets. */
  readonly facts: Readonly<Record<string, string>>
  /** All that its stdin holds. */
  readonly input: string
}

/** What the commands are run with. */
export interface QueueParts {
  /** The program and its arguments, as they were typed. */
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** How many run at a time. */
  readonly jobs: number
  readonly clock: Clock
  /** Takes a sentence about what went wrong. */
  readonly complain: (sentence: string) => void
}

interface Job {
  readonly child: ChildProcess
  /** Until it has run for too long, and then until it is killed. */
  timer: Timer
  /** Why it was asked to end. */
  why: string | undefined
}

export class CommandQueue {
  readonly #parts: QueueParts
  readonly #name: string
  readonly #waiting: Task[] = []
  #waitingOctets = 0
  readonly #running = new Set<Job>()
  #leftOut = 0
  #isFinishing = false
  /** Called when nothing runs any more; set by `finish`. */
  #onIdle: (() => void) | undefined

  constructor(parts: QueueParts) {
    this.#parts = parts
    this.#name = `"${parts.command[0] ?? ''}"`
  }

  /** Commands that run just now. */
  get running(): number {
    return this.#running.size
  }

  /** Runs the command for it, now or after those that wait; one too many is left out. */
  take(task: Task): void {
    if (this.#isFinishing) return
    const octets = Buffer.byteLength(task.input)
    const isFull = this.#waiting.length >= MAX_WAITING || this.#waitingOctets + octets > MAX_WAITING_OCTETS
    if (isFull && this.#running.size > 0) return this.#leaveOut()
    this.#tellLeftOut()
    this.#waiting.push(task)
    this.#waitingOctets += octets
    this.#beginNext()
  }

  /**
   * Begins nothing more, and resolves when the commands that run have ended: those that take longer than {@link FINISH_MS}
   * are ended.
   */
  async finish(): Promise<void> {
    this.#isFinishing = true
    this.#tellLeftOut()
    const dropped = this.#waiting.splice(0).length
    if (dropped > 0)
      this.#parts.complain(
        `${formatCount(dropped, 'item')} that waited for ${this.#name} had no command begun.`,
      )
    if (this.#running.size === 0) return
    const timer = this.#parts.clock.after(FINISH_MS, () => this.end())
    await new Promise<void>((resolve) => (this.#onIdle = resolve))
    timer.cancel()
  }

  /** Asks all that run to end, and kills what does not. */
  end(): void {
    for (const job of this.#running) this.#end(job, 'it was not done when tail ended')
  }

  #leaveOut(): void {
    if (this.#leftOut === 0)
      this.#parts.complain(
        `${formatCount(this.#waiting.length, 'item')} wait for ${this.#name} already; what passes until there is room has no command.`,
      )
    this.#leftOut += 1
  }

  #tellLeftOut(): void {
    if (this.#leftOut > 0) this.#parts.complain(`${formatCount(this.#leftOut, 'item')} had no command.`)
    this.#leftOut = 0
  }

  #beginNext(): void {
    while (this.#running.size < this.#parts.jobs) {
      const task = this.#waiting.shift()
      if (task === undefined) return
      this.#waitingOctets -= Buffer.byteLength(task.input)
      this.#begin(task)
    }
  }

  #begin(task: Task): void {
    const { command, env, clock } = this.#parts
    const [program = '', ...words] = command
    const child = spawn(program, words, {
      env: { ...env, ...task.facts },
      stdio: ['pipe', 'inherit', 'inherit'],
      // A group of its own: Ctrl-C is for tail, which lets it finish, and what it has started ends with it.
      detached: true,
    })
    const timer = clock.after(MAX_RUN_MS, () => this.#end(job, 'it ran for more than an hour'))
    const job: Job = { child, timer, why: undefined }
    this.#running.add(job)
    // A command that does not read what it is handed is none the worse for it.
    child.stdin?.on('error', () => {})
    child.stdin?.end(task.input)
    child.once('error', (error) => {
      if (child.pid === undefined)
        this.#ended(job, `cannot be started (${systemErrorCode(error) ?? error.message})`, task)
    })
    child.once('exit', (code, signal) => this.#ended(job, howItEnded(job, code, signal), task))
  }

  #end(job: Job, why: string): void {
    if (job.why !== undefined) return
    job.why = why
    job.timer.cancel()
    job.timer = this.#parts.clock.after(KILL_AFTER_MS, () => signalGroup(job.child, 'SIGKILL'))
    signalGroup(job.child, 'SIGTERM')
  }

  /** @param how - undefined where nothing is to be told */
  #ended(job: Job, how: string | undefined, { label }: Task): void {
    job.timer.cancel()
    this.#running.delete(job)
    if (how !== undefined) this.#parts.complain(`${this.#name} ${how}, for the ${label}.`)
    if (!this.#isFinishing) this.#beginNext()
    if (this.#running.size === 0) this.#onIdle?.()
  }
}

function howItEnded(job: Job, code: number | null, signal: string | null): string | undefined {
  const reason = job.why === undefined ? '' : ` (${job.why})`
  if (signal !== null) return `was ended by ${signal}${reason}`
  return code === 0 ? undefined : `ended with exit code ${code}${reason}`
}

/** Also what it has started; one that has ended meanwhile is what was wanted. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if (systemErrorCode(error) !== 'ESRCH') throw error
  }
}
