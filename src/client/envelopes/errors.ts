/**
 * What can go wrong with an envelope besides a refusal by the daemon.
 */
import type { Envelope } from '../../aee/envelope/envelope.ts'
import { awayWords } from '../../protocol/verb/sent-line.ts'
import { Failure } from '../../core/errors.ts'

/** The time was over before the result or the error of a task came (AEE-096). */
export class EnvelopeTimeout extends Failure {
  override readonly name = 'EnvelopeTimeout'
  /** The same for all of them. */
  override readonly code = 'timeout'
  /** The task that nobody answered in time. */
  readonly taskId: string
  /** How long it was waited for, in milliseconds. */
  readonly timeoutMs: number

  constructor(task: Envelope, timeoutMs: number) {
    super(`"${task.to}" has neither answered nor refused ${task.intent} within ${timeoutMs} ms.`)
    this.taskId = task.id
    this.timeoutMs = timeoutMs
  }
}

/** Nobody got the task, and no mailbox keeps it. */
export class EnvelopeUnheard extends Failure {
  override readonly name = 'EnvelopeUnheard'
  /** The same for all of them. */
  override readonly code = 'unheard'
  /** The task that nobody got. */
  readonly taskId: string
  /** The entity it was for. */
  readonly to: string
  /** Other nodes that were not heard of lately, and get the task when they are back. */
  readonly away: readonly string[]

  constructor(task: Envelope, away: readonly string[] = []) {
    super(
      `Nobody is listening for "${task.to}", and no mailbox keeps the task${awayWords(away)}; try again later, or set waitForRecipient.`,
    )
    this.taskId = task.id
    this.to = task.to
    this.away = away
  }
}

/** What a reference leads to is not what it was made of (AEE-074, AEQ-22). */
export class EnvelopeHashMismatch extends Failure {
  override readonly name = 'EnvelopeHashMismatch'
  /** The same for all of them. */
  override readonly code = 'hash-mismatch'
  /** The envelope that is not what was referred to. */
  readonly id: string
  /** As the reference has it. */
  readonly expected: string
  /** Of the envelope that is there, `sha256:` and 64 hex digits. */
  readonly actual: string

  constructor(id: string, expected: string, actual: string) {
    super(`The envelope "${id}" is not the one referred to: its hash is ${actual}, not ${expected}.`)
    this.id = id
    this.expected = expected
    this.actual = actual
  }
}

/** What the error of a task may carry besides its code and its sentence (AEE-029, AEE-030). */
export interface TaskErrorDetails {
  /** Whether the same task may succeed later. Default false. */
  readonly retryable?: boolean | undefined
  /** How long to wait before that, in milliseconds. */
  readonly backoffMs?: number | undefined
  /** Anything else, as the member `details` of the payload. */
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

/** Thrown by a handler, becomes the `error` envelope that answers its task. */
export class TaskError extends Failure {
  override readonly name = 'TaskError'
  /** Which one it is, such as `E_NOT_FOUND`. */
  override readonly code: string
  /** Whether the same task may succeed later. */
  readonly retryable: boolean
  /** How long to wait before that, in milliseconds; undefined where nothing is said of it. */
  readonly backoffMs: number | undefined
  /** Anything else that is told of it; undefined for nothing. */
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(
    code: string,
    message: string,
    { retryable = false, backoffMs, details }: TaskErrorDetails = {},
  ) {
    super(message)
    this.code = code
    this.retryable = retryable
    this.backoffMs = backoffMs
    this.details = details
  }
}
